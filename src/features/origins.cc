#include "features/origins.h"

#include <cstdint>
#include <string>

#include "features/unicode.h"

namespace benzer::internal {

std::vector<Origin> origins_of_normalised(std::string_view text) {
  std::vector<Origin> out;
  std::u16string segment;
  std::size_t begin = 0;
  const auto end_segment = [&](std::size_t end) {
    const bool ascii = segment.size() == 1 && segment[0] < 0x80;
    const std::size_t count = ascii ? 1 : to_utf32(nfkc_casefold(segment)).size();
    out.insert(out.end(), count, {begin, end});
    segment.clear();
    begin = end;
  };
  std::uint64_t replaced = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    const char32_t c = next_code_point(text, at, replaced);
    if (start > 0 && (c < 0x80 || starts_segment(c))) end_segment(start);
    append_utf16(c, segment);
  }
  if (!text.empty()) end_segment(text.size());
  return out;
}

}  // namespace benzer::internal
