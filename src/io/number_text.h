// Reads and names numbers by their digits, as JSON and CSV have them, also those with more digits
// than a machine word holds.
#pragma once

#include <string>
#include <string_view>

namespace benzer {

// The nearest long double (64 bits of mantissa: whole numbers of 64 bits are exact). Infinite
// beyond its range, NaN for a text that is not one decimal number.
long double number_in(std::string_view text);

// Appends a name for the value of a JSON number, the same for all its spellings: 1, 1.0 and 10e-1
// are "1". The name of a number whose exponent has more than 15 digits is its text.
void append_number_name(std::string& out, std::string_view number);

// Appends a decimal of Arrow, the integer divided by 10^scale, without zeros at the end of its
// fraction: 1050 of the scale 2 is "10.5". integer: up to 32 bytes in two's complement, the lowest
// byte first.
void append_decimal(std::string& out, std::string_view integer, int scale);

}  // namespace benzer
