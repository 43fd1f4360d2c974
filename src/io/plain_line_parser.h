// One line of text becomes one document.
#pragma once

#include <string>
#include <string_view>

#include "io/record_parser.h"

namespace benzer {

// Every line is a document, an empty one too: so the number of a document tells its line. It has no
// id, no group and no numbers.
class PlainLineParser final : public RecordParser {
 public:
  std::string_view noun() const noexcept override { return "line"; }
  Outcome parse(std::string_view line, ParsedLine& out) override;

 private:
  std::string valid_;
};

}  // namespace benzer
