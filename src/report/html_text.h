// Foreign text inside a page: nothing in it may become markup, move other text, or hide itself.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace benzer::report {

enum class Lines {
  kVisible,  // line ends and tabs are shown as pictures: for names
  kKept,     // they stay what they are: for texts in white-space: pre-wrap
};

// Escaped for element content and for attributes in quotes. Invalid UTF-8 becomes U+FFFD; control
// characters become their pictures; characters that are invisible or turn the direction of writing
// are written as <U+202E>. Joiners stay: emoji and several scripts need them.
std::string html_text(std::string_view text, Lines lines = Lines::kVisible);

// An id without the quotes of its JSON token, where it has no escapes to be told apart from it.
std::string_view shown_id(std::string_view id_json);

// At most so many code points, with an ellipsis in the middle for what is left out.
std::string shortened(std::string_view text, std::size_t code_points);

// "12 bytes", "1.2 kB", "34 MB"
std::string shown_bytes(std::uint64_t number);
// "7.6 %"; what is neither none nor all is never rounded to it.
std::string shown_share(std::uint64_t part, std::uint64_t whole);
// At most four decimals, and never rounded up to 1 or down to 0.
std::string shown_score(double score);
// A word as a shell takes it, in quotes if it needs them.
std::string shell_word(std::string_view word);

}  // namespace benzer::report
