// Parses one line of JSON into one document.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
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

  // Where parse_id() has found the id.
  struct FoundId {
    std::string_view line;             // without invalid text, with padding after it
    std::span<const std::size_t> way;  // to the id, as in json_field.h; empty if there is none
  };
  // Parses a line of which only the id is wanted, with the same checks. was_replaced: whether
  // U+FFFD already replaces invalid text in the line. `found` is valid like the views in `out`.
  Outcome parse_id(std::string_view line, bool was_replaced, ParsedLine& out, FoundId& found);

  // What is wrong with a line that has none of the fields with the content.
  static std::string missing_field(const LineFields& fields);
  // The names of the fields with the content, as JSON.
  static std::vector<std::string> content_names(const LineFields& fields);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace benzer
