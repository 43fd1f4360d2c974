#include "io/csv_record.h"

#include <algorithm>

namespace benzer {

std::string_view csv_line_end(std::string_view record) noexcept {
  std::size_t begin = record.size();
  if (begin > 0 && record[begin - 1] == '\n') --begin;
  if (begin > 0 && record[begin - 1] == '\r') --begin;
  return record.substr(begin);
}

CsvFields::CsvFields(std::string_view record, char delimiter) noexcept
    : rest_(record), delimiter_(delimiter) {
  rest_.remove_suffix(csv_line_end(record).size());
}

bool CsvFields::next() noexcept {
  if (!more_) return false;
  has_pairs_ = false;
  if (rest_.starts_with('"')) return next_quoted();
  const std::size_t end = rest_.find(delimiter_);
  raw_ = rest_.substr(0, end);
  more_ = end != std::string_view::npos;
  rest_.remove_prefix(more_ ? end + 1 : rest_.size());
  return true;
}

bool CsvFields::next_quoted() noexcept {
  std::size_t quote = rest_.find('"', 1);
  for (; quote != std::string_view::npos; quote = rest_.find('"', quote + 2)) {
    if (quote + 1 == rest_.size() || rest_[quote + 1] != '"') break;
    has_pairs_ = true;
  }
  if (quote == std::string_view::npos) {
    fault_ = Fault::kNeverClosed;
    return more_ = false;
  }
  raw_ = rest_.substr(1, quote - 1);
  rest_.remove_prefix(quote + 1);
  more_ = !rest_.empty();
  if (more_ && rest_[0] != delimiter_) {
    fault_ = Fault::kTextBehindQuotes;
    return more_ = false;
  }
  if (more_) rest_.remove_prefix(1);
  return true;
}

std::string CsvFields::text() const {
  if (!has_pairs_) return std::string(raw_);
  std::string out;
  append_unquoted(out, raw_);
  return out;
}

void append_unquoted(std::string& out, std::string_view raw) {
  std::size_t quote = 0;
  while ((quote = raw.find('"')) != std::string_view::npos) {
    out += raw.substr(0, quote + 1);
    raw.remove_prefix(std::min(quote + 2, raw.size()));
  }
  out += raw;
}

void append_csv_field(std::string& out, std::string_view text, char delimiter) {
  const char special[] = {delimiter, '"', '\r', '\n'};
  if (text.find_first_of(std::string_view(special, sizeof special)) == std::string_view::npos) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) out.append(c == '"' ? 2 : 1, c);
  out += '"';
}

}  // namespace benzer
