// Writes text of any origin into a page, so that nothing in it becomes markup, moves other text, or
// hides itself.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace benzer::report {

enum class Lines {
  kVisible,  // line ends and tabs become control pictures (U+2400 on): for names
  kKept,     // line ends and tabs stay as they are: for texts in white-space: pre-wrap
};

// Escapes a text for element content and for attributes in quotes. Invalid UTF-8 becomes U+FFFD;
// control characters become control pictures; characters that are invisible or turn the direction
// of writing are written as <U+202E>. Joiners stay: emoji and several scripts need them.
std::string html_text(std::string_view text, Lines lines = Lines::kVisible);

// Returns an id without the quotes of its JSON token if there are no escapes in it and it neither
// begins nor ends with a blank, which only quotes show.
std::string_view shown_id(std::string_view id_json);

// Shortens a text to this many code points, with an ellipsis in the middle for what is left out.
std::string shortened(std::string_view text, std::size_t code_points);

// "12 bytes", "1.2 kB", "34 MB"
std::string shown_bytes(std::uint64_t number);
// "7.6 %"; only 0 is written as 0 %, and only the whole as 100 %.
std::string shown_share(std::uint64_t part, std::uint64_t whole);
// At most four decimals, and never rounded up to 1 or down to 0.
std::string shown_score(double score);
// Writes a word as a shell takes it, in quotes if it needs them.
std::string shell_word(std::string_view word);

}  // namespace benzer::report
