#include "io/csv_annotation.h"

#include <simdjson.h>

#include "io/csv_record.h"

namespace benzer {
namespace {

std::string text_of(const std::string& json) {
  if (json == "null") return {};
  if (!json.starts_with('"')) return json;
  simdjson::dom::parser parser;
  std::string_view text;
  if (parser.parse(json).get(text)) return json;
  return std::string(text);
}

}  // namespace

void add_csv_fields(std::string& record, std::span<const std::string> json_values, char delimiter) {
  std::string fields;
  for (const std::string& value : json_values) {
    fields += delimiter;
    append_csv_field(fields, text_of(value), delimiter);
  }
  record.insert(record.size() - csv_line_end(record).size(), fields);
}

}  // namespace benzer
