// Recognises and squeezes ASCII white space.
#pragma once

#include <cstddef>
#include <string_view>

namespace benzer {

constexpr bool is_white_space(char c) noexcept { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Copies the text to `out` with one blank for each run of white space. Returns the size of the
// result, which is at most that of the text.
inline std::size_t squeeze_white_space(std::string_view text, char* out) noexcept {
  std::size_t size = 0;
  bool blank = false;
  for (const char c : text) {
    const bool white = is_white_space(c);
    if (!white || !blank) out[size++] = white ? ' ' : c;
    blank = white;
  }
  return size;
}

}  // namespace benzer
