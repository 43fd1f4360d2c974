// What a line of JSON may carry and simdjson refuses: invalid UTF-8, lone surrogates, and numbers
// beyond 64 bits. Each is replaced in a copy, which is then parsed again.
#pragma once

#include <string>
#include <string_view>

namespace benzer {

// Replaces each invalid UTF-8 sequence by U+FFFD and each lone surrogate escape by \ufffd. False,
// and `out` without meaning, if there was nothing to replace.
bool replace_invalid_text(std::string_view line, std::string& out);

// The text itself if it is valid UTF-8; else `memory`, which becomes the text with each invalid
// sequence replaced by U+FFFD, and `replaced` is true.
std::string_view valid_text(std::string_view text, std::string& memory, bool& replaced);

// Replaces each number outside of strings that neither a whole number of 64 bits nor a double holds
// by "0.0" and blanks of the same length in all: all else stays at its place, and whoever wants the
// number takes its digits from the line itself. False if there was none.
bool replace_large_numbers(std::string_view line, std::string& out);

}  // namespace benzer
