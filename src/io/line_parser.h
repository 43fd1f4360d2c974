// Parses one line of JSON into one document.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "io/record_parser.h"

namespace benzer {

// Fields are named as in json_field.h. If one occurs twice, the last is used.
class LineParser final : public RecordParser {
 public:
  explicit LineParser(const LineFields& fields);
  ~LineParser() override;

  std::string_view noun() const noexcept override { return "line"; }
  Outcome parse(std::string_view line, ParsedLine& out) override;
  std::string with_text(std::string_view text) override;

  // What is wrong with a line that has none of the fields with the content.
  static std::string missing_field(const LineFields& fields);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace benzer
