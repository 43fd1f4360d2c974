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

 private:
  std::string valid_;
};

}  // namespace benzer
