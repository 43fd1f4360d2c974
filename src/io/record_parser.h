// Declares the interface of parsers that turn one record into one document.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "benzer/corpus.h"
#include "benzer/input.h"

#include "io/line_blocks.h"  // kLinePadding

namespace benzer {

// The names of the fields of a JSON object, or of the columns of CSV, that a run uses.
struct LineFields {
  std::string id = "id";
  std::string text = "text";
  std::string values;                  // not empty: documents are arrays of strings in this field
  std::vector<InputField> fields;      // not empty: the fields of DocumentView::fields
  bool needs_id = true;                // documents with fields must have an id
  std::string group;                   // not empty: the field of DocumentView::group
  std::vector<std::string> numbers;    // the fields of DocumentView::numbers
  bool has_weights = false;            // `values` may be an object of weights
  std::string group_parameter = "by";  // InputOptions::group_parameter
  std::vector<std::string> added;      // InputOptions::added_fields

  // The field that holds the document, if `fields` is empty.
  const std::string& content() const noexcept { return values.empty() ? text : values; }
};

// Bits of ParsedLine::fields_found. Of many number fields the last ones share a bit.
inline constexpr std::uint64_t kFoundId = 1;
inline constexpr std::uint64_t kFoundGroup = 2;
constexpr std::uint64_t found_number(std::size_t field) noexcept {
  return std::uint64_t{4} << std::min<std::size_t>(field, 61);
}

struct ParsedLine {
  DocumentView view;
  std::string_view id_json;        // one JSON token; empty: no id, or neither a string nor a number
  bool without_group = false;      // the group field was asked for and is missing
  bool without_number = false;     // the same for one of the number fields
  bool has_large_number = false;   // one that neither a 64-bit integer nor a double holds
  std::uint64_t fields_found = 0;  // which of id, group and numbers are there, also with null
  std::string problem;             // "the field "text" is missing, it must be a string"
  std::string_view has_added;      // one of LineFields::added that the object has already
};

inline constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// Whether U+FFFD stands for invalid text in the id, or may do so. Different ids could then become
// one, and a document of an index would replace another.
inline bool has_doubtful_id(const DocumentView& document) noexcept {
  return document.replaced && document.id.find(kReplacement) != document.id.npos;
}
inline constexpr std::string_view kDoubtfulId =
    "has bytes that are not UTF-8 or a lone surrogate, and ids that differ only there would be one";

// Holds the working memory of parsing. Use one for each thread and reuse it for every record.
class RecordParser {
 public:
  enum class Outcome { kDocument, kBlank, kProblem };
  struct Extent {
    std::size_t length = 0;   // with the line end
    std::uint64_t lines = 0;  // line ends in it
    bool ends = false;        // the record has a line end; otherwise it ends with the bytes
    bool in_quotes = false;   // it ends with the bytes because a quote is never closed
  };

  virtual ~RecordParser() = default;

  // How sentences name a record: "line".
  virtual std::string_view noun() const noexcept = 0;

  // The extent of the first record of the bytes, of which there is at least one and which hold all
  // of the record. By default a record is a line.
  virtual Extent extent(std::string_view bytes) const noexcept {
    const std::size_t line_end = bytes.find('\n');
    if (line_end == std::string_view::npos) return {bytes.size(), 0, false, false};
    return {line_end + 1, 1, true, false};
  }

  // Parses a record with or without its line end; kLinePadding bytes after it must be readable. The
  // views in `out` are valid until the next call, and as long as the record's bytes.
  virtual Outcome parse(std::string_view record, ParsedLine& out) = 0;

  // Returns the record that parse() took last with another text in place of its own, and nothing
  // else changed; but lines of JSON have U+FFFD in place of all their invalid text then. It must
  // have given a document with a text, and its bytes must still be there.
  virtual std::string with_text(std::string_view text) = 0;
};

using MakeParser = std::function<std::unique_ptr<RecordParser>()>;

}  // namespace benzer
