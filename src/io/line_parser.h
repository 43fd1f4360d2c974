// One line of JSON becomes one document.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "benzer/corpus.h"

#include "io/line_blocks.h"

namespace benzer {

struct LineFields {
  std::string id = "id";
  std::string text = "text";
  std::string values;                // not empty: documents are arrays of strings in this field
  std::string group;                 // not empty: the field of DocumentView::group
  std::vector<std::string> numbers;  // the fields of DocumentView::numbers
};

struct ParsedLine {
  DocumentView view;
  std::string_view id_json;  // one JSON token; empty: no id, or one that is no string and no number
  bool without_group = false;   // the group field is asked for, and not there
  bool without_number = false;  // likewise one of the number fields
  std::string problem;          // "the field "text" is missing, it must be a string"
};

// Holds the working memory: one per thread, used again for every line.
class LineParser {
 public:
  enum class Outcome { kDocument, kBlank, kProblem };

  explicit LineParser(LineFields fields);
  ~LineParser();
  LineParser(LineParser&&) noexcept;
  LineParser& operator=(LineParser&&) noexcept;

  // kLinePadding bytes behind the line must be readable. What `out` views is valid until the next
  // call, as long as the line is. Of a field that occurs twice the last one counts.
  Outcome parse(std::string_view line, ParsedLine& out);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace benzer
