// Replaces in a copy of a line of JSON what is allowed here but refused by simdjson: invalid UTF-8,
// lone surrogates, and numbers beyond 64 bits. The copy is then parsed.
#pragma once

#include <string>
#include <string_view>

namespace benzer {

// Replaces each invalid UTF-8 sequence by U+FFFD and each lone surrogate escape by \ufffd. Returns
// false if there was nothing to replace.
bool replace_invalid_text(std::string_view line, std::string& out);

// Returns the text itself if it is valid UTF-8. Otherwise returns `memory`, filled with the text in
// which U+FFFD replaces each invalid sequence, and sets `replaced` to true.
std::string_view valid_text(std::string_view text, std::string& memory, bool& replaced);

// Returns the text with "\xFF" in place of each byte of an invalid UTF-8 sequence, so that texts
// stay different that U+FFFD would make equal.
std::string with_invalid_bytes_escaped(std::string_view text);

// Replaces each number outside of strings that fits neither a 64-bit integer nor a double by "0.0"
// and blanks of the same length in all. Everything else keeps its place, so that the digits of the
// number can be taken from the line itself. Returns false if there was no such number.
bool replace_large_numbers(std::string_view line, std::string& out);

}  // namespace benzer
