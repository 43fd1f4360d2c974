// Makes one document of each line of text.
#pragma once

#include <string>
#include <string_view>

#include "io/record_parser.h"

namespace benzer {

// Every line is a document, even an empty one, so the number of a document tells its line. The
// document has no id, no group and no numbers.
class PlainLineParser final : public RecordParser {
 public:
  std::string_view noun() const noexcept override { return "line"; }
  Outcome parse(std::string_view line, ParsedLine& out) override;
  std::string with_text(std::string_view text) override {
    // The last line has no end, and without one an empty line would be none.
    return std::string(text) + std::string(text.empty() && end_.empty() ? "\n" : end_);
  }

 private:
  std::string_view end_;  // of the line
  std::string valid_;
};

}  // namespace benzer
