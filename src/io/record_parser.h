// One record becomes one document: what the parsers of all kinds of records have in common.
#pragma once

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

// Fields of a JSON object, columns of CSV.
struct LineFields {
  std::string id = "id";
  std::string text = "text";
  std::string values;                // not empty: documents are arrays of strings in this field
  std::vector<InputField> fields;    // not empty: of DocumentView::fields
  bool needs_id = true;              // of documents with fields
  std::string group;                 // not empty: the field of DocumentView::group
  std::vector<std::string> numbers;  // the fields of DocumentView::numbers

  // What the documents are, where they have no several fields.
  const std::string& content() const noexcept { return values.empty() ? text : values; }
};

struct ParsedLine {
  DocumentView view;
  std::string_view id_json;  // one JSON token; empty: no id, or one that is no string and no number
  bool without_group = false;   // the group field is asked for, and not there
  bool without_number = false;  // likewise one of the number fields
  std::string problem;          // "the field "text" is missing, it must be a string"
};

// Holds the working memory: one per thread, used again for every record.
class RecordParser {
 public:
  enum class Outcome { kDocument, kBlank, kProblem };
  struct Extent {
    std::size_t length = 0;   // with the line end
    std::uint64_t lines = 0;  // line ends in it
    bool ends = false;        // with a line end, and not with the bytes
    bool in_quotes = false;   // with the bytes, because of a quote that is never closed
  };

  virtual ~RecordParser() = default;

  // How sentences name a record: "line".
  virtual std::string_view noun() const noexcept = 0;

  // How far the record goes that begins the bytes (at least one), which hold all of it: a line, if
  // the kind of records has no other rule.
  virtual Extent extent(std::string_view bytes) const noexcept {
    const std::size_t line_end = bytes.find('\n');
    if (line_end == std::string_view::npos) return {bytes.size(), 0, false, false};
    return {line_end + 1, 1, true, false};
  }

  // With or without its line end; kLinePadding bytes behind it must be readable. What `out` views
  // is valid until the next call, as long as the record is.
  virtual Outcome parse(std::string_view record, ParsedLine& out) = 0;
};

using MakeParser = std::function<std::unique_ptr<RecordParser>()>;

}  // namespace benzer
