// Records of CSV (RFC 4180, and the same with another delimiter), read and written.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace benzer {

// The fields of a record, one after the other. Quotes are understood as by RecordEnds: those that
// do not open a field are characters like others.
class CsvFields {
 public:
  enum class Fault { kNone, kNeverClosed, kTextBehindQuotes };

  // With or without its line end, which is no part of the last field.
  CsvFields(std::string_view record, char delimiter) noexcept;

  // False behind the last field and at a fault. A record has at least one field.
  bool next() noexcept;

  Fault fault() const noexcept { return fault_; }
  // Without the quotes around it; pairs of quotes are still two.
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

// "\n", "\r\n", "\r" of a record that ends with the file, or nothing.
std::string_view csv_line_end(std::string_view record) noexcept;

// Appends the text of a field: two quotes become one.
void append_unquoted(std::string& out, std::string_view raw);

// Appends a field, in quotes if it needs them.
void append_csv_field(std::string& out, std::string_view text, char delimiter);

}  // namespace benzer
