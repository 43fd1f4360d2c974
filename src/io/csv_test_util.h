// Reads CSV in the plainest way, a character at a time, for tests to compare the fast readers with.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/csv_record.h"

namespace benzer {

struct PlainRecord {
  std::size_t offset = 0;
  std::size_t length = 0;  // with the line end
  std::uint64_t line = 0;  // line ends in front of it
  bool ends = false;       // with a line end
  bool blank = false;      // nothing but a line end
  std::vector<std::string> fields;
  CsvFields::Fault fault = CsvFields::Fault::kNone;
};

inline std::vector<PlainRecord> split_csv_plainly(std::string_view bytes, char delimiter) {
  enum { kBegin, kPlain, kQuoted, kQuote } state = kBegin;
  std::vector<PlainRecord> records;
  PlainRecord record;
  std::string field;
  std::uint64_t lines = 0;
  const auto fault = [&](CsvFields::Fault what) {
    if (record.fault == CsvFields::Fault::kNone) record.fault = what;
  };
  const auto end_record = [&](std::size_t end, bool ends) {
    record.length = end - record.offset;
    record.ends = ends;
    record.fields.push_back(field);
    const std::string_view all = bytes.substr(record.offset, record.length);
    record.blank = all == "\n" || all == "\r\n" || all == "\r";
    records.push_back(record);
    record = {};
    record.offset = end;
    record.line = lines;
    field.clear();
    state = kBegin;
  };
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    const char c = bytes[at];
    if (c == '\n') ++lines;
    const bool before_end = at + 1 == bytes.size() || bytes[at + 1] == '\n';
    if (state == kQuoted) {
      if (c == '"')
        state = kQuote;
      else
        field += c;
    } else if (state == kQuote && c == '"') {
      field += c;
      state = kQuoted;
    } else if (c == '\n') {
      end_record(at + 1, true);
    } else if (c == delimiter) {
      record.fields.push_back(field);
      field.clear();
      state = kBegin;
    } else if (c == '\r' && before_end) {
      // belongs to the line end
    } else if (state == kBegin && c == '"') {
      state = kQuoted;
    } else {
      if (state == kQuote) fault(CsvFields::Fault::kTextBehindQuotes);
      field += c;
      state = kPlain;
    }
  }
  if (state == kQuoted) fault(CsvFields::Fault::kNeverClosed);
  if (record.offset < bytes.size()) end_record(bytes.size(), false);
  return records;
}

}  // namespace benzer
