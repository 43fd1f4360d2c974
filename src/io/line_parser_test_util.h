// For tests of the line parser: parses a line in a buffer with other bytes after it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "io/line_parser.h"

namespace benzer {

struct ParsedTestLine {
  LineParser::Outcome outcome;
  std::string text, id, problem;
  std::vector<std::string> values;
  bool replaced;
  std::string group;
  std::vector<Number> numbers;
  std::vector<double> weights;
};

inline ParsedTestLine parse_line(std::string line, const LineFields& fields = {}) {
  LineParser parser(fields);
  const std::size_t size = line.size();
  // The bytes after the line must not matter.
  line += "\n\"}]x" + std::string(kLinePadding, '"');
  ParsedLine out;
  const auto outcome = parser.parse(std::string_view(line).substr(0, size), out);
  return {outcome,
          std::string(out.view.text),
          std::string(out.id_json),
          out.problem,
          {out.view.values.begin(), out.view.values.end()},
          out.view.replaced,
          std::string(out.view.group),
          {out.view.numbers.begin(), out.view.numbers.end()},
          {out.view.weights.begin(), out.view.weights.end()}};
}

inline LineFields with_attributes(std::string group, std::vector<std::string> numbers) {
  LineFields fields;
  fields.group = std::move(group);
  fields.numbers = std::move(numbers);
  return fields;
}

}  // namespace benzer
