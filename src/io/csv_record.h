// Reads and writes records of CSV (RFC 4180, and the same with another delimiter).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace benzer {

// Reads the fields of a record, one after the other. Quotes are understood as by RecordEnds: a
// quote that does not open a field is a character like others.
class CsvFields {
 public:
  enum class Fault { kNone, kNeverClosed, kTextBehindQuotes };

  // The record may have its line end, which does not belong to the last field.
  CsvFields(std::string_view record, char delimiter) noexcept;

  // Returns false after the last field and at a fault. A record has at least one field.
  bool next() noexcept;

  Fault fault() const noexcept { return fault_; }
  // The field without the quotes around it; pairs of quotes inside it are not yet made one.
  std::string_view raw() const noexcept { return raw_; }
  bool has_pairs() const noexcept { return has_pairs_; }
  std::string text() const;

 private:
  bool next_quoted() noexcept;

  std::string_view rest_;
  char delimiter_;
  bool more_ = true;
  std::string_view raw_;
  bool has_pairs_ = false;
  Fault fault_ = Fault::kNone;
};

// The line end of a record: "\n", "\r\n", nothing, or "\r" if the record ends with the file.
std::string_view csv_line_end(std::string_view record) noexcept;

// Appends the text of a field: two quotes become one.
void append_unquoted(std::string& out, std::string_view raw);

// Appends a field, in quotes if it needs them.
void append_csv_field(std::string& out, std::string_view text, char delimiter);

}  // namespace benzer
