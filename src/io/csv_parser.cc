#include "io/csv_parser.h"

#include <algorithm>

#include <fmt/format.h>

#include "benzer/internal/json.h"

#include "io/json_repair.h"
#include "io/record_ends.h"

namespace benzer {
namespace {

// The number that the text is, apart from blanks around it; NaN if it is not a number.
Number number_in_field(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return Number::in(text.substr(begin, text.find_last_not_of(' ') + 1 - begin));
}

}  // namespace

RecordParser::Extent CsvParser::extent(std::string_view bytes) const noexcept {
  RecordEnds ends(columns_.delimiter);
  const std::size_t end = ends.first(bytes);
  const std::size_t length = end > 0 ? end : bytes.size();
  return {length, count_line_ends(bytes.substr(0, length)), end > 0, ends.in_quotes()};
}

RecordParser::Outcome CsvParser::parse(std::string_view record, ParsedLine& out) {
  out.view = {};
  out.id_json = {};
  out.without_group = out.without_number = false;
  out.problem.clear();
  record_ = record;
  if (csv_line_end(record).size() == record.size()) return Outcome::kBlank;

  fields_.resize(columns_.names.size());
  CsvFields fields(record, columns_.delimiter);
  std::size_t count = 0;
  for (; fields.next(); ++count)
    if (count < fields_.size()) fields_[count] = {fields.raw(), fields.has_pairs()};
  if (fields.fault() != CsvFields::Fault::kNone) {
    out.problem = fault_in(fields.fault(), count);
    return Outcome::kProblem;
  }
  if (count != fields_.size()) {
    out.problem = fmt::format("the record has {} {}, it must have {} as the header", count,
                              count == 1 ? "field" : "fields", fields_.size());
    return Outcome::kProblem;
  }
  take_id(out);
  if (columns_.fields.empty()) {
    take_text(out);
  } else if (!take_fields(out)) {
    return Outcome::kProblem;
  }
  take_attributes(out);
  return Outcome::kDocument;
}

std::string CsvParser::with_text(std::string_view text) {
  const std::string_view old = fields_[columns_.text].raw;
  const auto begin = static_cast<std::size_t>(old.data() - record_.data());
  // In front of a field without quotes is a delimiter, which is never a quote.
  const std::size_t quotes = begin > 0 && record_[begin - 1] == '"' ? 1 : 0;
  std::string out(record_.substr(0, begin - quotes));
  // The record of an only field without text would be a blank line, which is no record.
  if (text.empty() && columns_.names.size() == 1) out += "\"\"";
  append_csv_field(out, text, columns_.delimiter);
  return out += record_.substr(begin + old.size() + quotes);
}

std::string CsvParser::fault_in(CsvFields::Fault fault, std::size_t column) const {
  const std::string field = column < columns_.names.size()
                                ? "the field " + json_string(columns_.names[column])
                                : fmt::format("field {}", column + 1);
  if (fault == CsvFields::Fault::kNeverClosed)
    return field + " begins with a quote that is never closed";
  return fmt::format("{} continues after its closing quote; a quote inside quotes is written \"\"",
                     field);
}

std::string_view CsvParser::text_of(const Field& field, std::string& memory) const {
  if (!field.has_pairs) return field.raw;
  memory.clear();
  append_unquoted(memory, field.raw);
  return memory;
}

std::string_view CsvParser::valid_text_of(const Field& field, TextMemory& memory,
                                          ParsedLine& out) const {
  return valid_text(text_of(field, memory.unquoted), memory.valid, out.view.replaced);
}

void CsvParser::take_text(ParsedLine& out) {
  out.view.text = valid_text_of(fields_[columns_.text], text_, out);
  out.view.bytes = out.view.text.size();
}

bool CsvParser::take_fields(ParsedLine& out) {
  if (columns_.needs_id && out.id_json.empty()) {
    out.problem = fmt::format("the field {} is empty, and a document of an index needs an id",
                              json_string(columns_.names[*columns_.id]));
    return false;
  }
  if (has_doubtful_id(out.view)) {  // so far `replaced` is about the id alone
    out.problem = fmt::format("the id in the field {} {}",
                              json_string(columns_.names[*columns_.id]), kDoubtfulId);
    return false;
  }
  named_.resize(columns_.fields.size());
  views_.assign(columns_.fields.size(), {});
  for (std::size_t i = 0; i < views_.size(); ++i) {
    const bool is_attribute = columns_.attributes[i];
    if (is_attribute && fields_[columns_.fields[i]].raw.empty()) continue;
    views_[i] = {valid_text_of(fields_[columns_.fields[i]], named_[i], out), {}, true};
    if (!is_attribute) out.view.bytes += views_[i].text.size();
  }
  out.view.fields = views_;
  return true;
}

void CsvParser::take_id(ParsedLine& out) {
  if (!columns_.id || fields_[*columns_.id].raw.empty()) return;
  id_.clear();
  out.view.id = valid_text_of(fields_[*columns_.id], id_text_, out);
  append_json_string(id_, out.view.id);
  out.id_json = id_;
}

void CsvParser::take_attributes(ParsedLine& out) {
  numbers_.clear();
  for (const std::size_t column : columns_.numbers)
    numbers_.push_back(number_in_field(fields_[column].raw));
  out.view.numbers = numbers_;
  out.without_number = !std::ranges::all_of(numbers_, &Number::is_there);
  if (!columns_.group) return;
  out.view.group = text_of(fields_[*columns_.group], group_);
  out.without_group = out.view.group.empty();
}

}  // namespace benzer
