// One line of JSON becomes one document.
#pragma once

#include <memory>
#include <string_view>

#include "io/record_parser.h"

namespace benzer {

// Of a field that occurs twice the last one counts.
class LineParser final : public RecordParser {
 public:
  explicit LineParser(LineFields fields);
  ~LineParser() override;

  std::string_view noun() const noexcept override { return "line"; }
  Extent extent(std::string_view bytes) const noexcept override;
  Outcome parse(std::string_view line, ParsedLine& out) override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace benzer
