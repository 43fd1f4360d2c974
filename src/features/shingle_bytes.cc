#include "features/shingle_bytes.h"

#include "benzer/classics/scala.h"

namespace benzer::internal {

std::size_t squeeze(std::string_view text, char* out) noexcept {
  std::size_t size = 0;
  for (const char c : text) {
    if (!is_white_space(c)) {
      out[size++] = c;
    } else if (size == 0 || out[size - 1] != ' ') {
      out[size++] = ' ';
    }
  }
  return size;
}

std::uint64_t of_djb2a(std::string_view bytes) noexcept {
  return of_four_bytes(static_cast<std::uint32_t>(classics::scala::djb2a(bytes)));
}

}  // namespace benzer::internal
