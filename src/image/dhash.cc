#include "image/area.h"
#include "image/hashes.h"

namespace benzer {

// Neal Krawetz, "Kind of Like That", 2013: a bit says whether the image is brighter to the right.
// The bits are in the order of the ImageHash library. That averages with another filter, so a few
// bits differ from it.
ImageHash dhash(const Picture& grey) {
  const std::vector<std::uint64_t> sums = area_sums(grey, 9, 8);
  ImageHash hash;
  for (std::size_t y = 0; y < 8; ++y)
    for (std::size_t x = 0; x < 8; ++x) {
      const std::uint64_t brighter = sums[9 * y + x + 1] > sums[9 * y + x] ? 1 : 0;
      hash.words[0] = hash.words[0] << 1 | brighter;
    }
  return hash;
}

std::string hex(const ImageHash& hash, int bits) {
  std::string digits;
  for (int i = bits - 4; i >= 0; i -= 4) {
    const std::uint64_t word = hash.words[static_cast<std::size_t>(i / 64)];
    digits.push_back("0123456789abcdef"[word >> (i % 64) & 15]);
  }
  return digits;
}

}  // namespace benzer
