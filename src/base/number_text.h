// Reads and names numbers by their digits, as JSON and CSV have them, also those with more digits
// than a machine word holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace benzer {

// The number 0.DIGITS times a power of ten. Zero has no digits.
struct Decimal {
  bool negative = false;
  std::string digits;  // neither the first nor the last is 0
  std::int64_t exponent = 0;
};

// Parses a text that is a decimal number. Returns nothing if its exponent has more than 15 digits.
std::optional<Decimal> decimal_in(std::string_view text);

// Appends a name for the value of a JSON number, the same for all its spellings: 1, 1.0 and 10e-1
// are "1". The name of a number whose exponent has more than 15 digits is its text.
void append_number_name(std::string& out, std::string_view number);

// Appends a decimal of Arrow, the integer divided by 10^scale, without zeros at the end of its
// fraction: 1050 of the scale 2 is "10.5". integer: up to 32 bytes in two's complement, the lowest
// byte first.
void append_decimal(std::string& out, std::string_view integer, int scale);

}  // namespace benzer
