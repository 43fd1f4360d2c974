// Reads the character references of HTML: "&amp;", "&#233;", "&#xE9;".
#pragma once

#include <cstddef>
#include <string_view>

namespace benzer::internal {

struct CharacterReference {
  char32_t code_point = 0;
  std::size_t size = 0;  // bytes of the reference; 0: there is none
};

// Returns the reference at the beginning of a text that begins with "&". The UTF-8 of its character
// is never longer than the reference itself. Cost: bounded for names, however long the text is.
CharacterReference read_reference(std::string_view text);

}  // namespace benzer::internal
