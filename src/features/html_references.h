// Character references of HTML: "&amp;", "&#233;", "&#xE9;".
#pragma once

#include <cstddef>
#include <string_view>

namespace benzer::internal {

struct CharacterReference {
  char32_t code_point = 0;
  std::size_t size = 0;  // bytes that it takes; 0: there is no reference
};

// The reference at the beginning of a text that begins with "&". Its UTF-8 is never longer than the
// reference itself. Cost: bounded for names, however long the text.
CharacterReference read_reference(std::string_view text);

}  // namespace benzer::internal
