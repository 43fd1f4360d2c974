// Numbers by their digits, as JSON and CSV have them: no digit counts less for being beyond what a
// machine word holds.
#pragma once

#include <string>
#include <string_view>

namespace benzer {

// The nearest long double (64 bits of mantissa: whole numbers of 64 bits are exact). Infinite
// beyond its range, NaN for a text that is not one decimal number.
long double number_in(std::string_view text);

// Appends the name of a JSON number's value, the same for all spellings of it: 1, 1.0 and 10e-1 are
// "1". A number with an exponent of more than 15 digits is named by its text.
void append_number_name(std::string& out, std::string_view number);

}  // namespace benzer
