// Writing JSON tokens, and the one rule for bytes that are not UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace benzer {

// The length of the valid UTF-8 sequence at `at`, or 0 if there is none; then *invalid is the
// length of the maximal subpart (Unicode 15, section 3.9), which is replaced by one U+FFFD.
std::size_t utf8_sequence(std::string_view bytes, std::size_t at, std::size_t* invalid) noexcept;

// Appends the bytes with every invalid sequence replaced by U+FFFD; returns how many there were.
std::size_t append_valid_utf8(std::string& out, std::string_view bytes);

// Appends the bytes as a JSON string with its quotes; invalid UTF-8 is replaced by U+FFFD.
void append_json_string(std::string& out, std::string_view bytes);
std::string json_string(std::string_view bytes);

// The shortest decimal number that reads back as the same double. JSON has no NaN and no infinity:
// they become null.
std::string json_number(double value);

}  // namespace benzer
