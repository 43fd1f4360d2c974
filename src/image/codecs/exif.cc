#include "image/codecs/exif.h"

#include <cstddef>
#include <cstdint>

namespace benzer {
namespace {

constexpr std::uint64_t kEntryBytes = 12;
constexpr std::uint64_t kOrientationTag = 0x0112;
constexpr std::uint64_t kShort = 3;

// Reads numbers from a block of TIFF; beyond its end they are 0.
class Tiff {
 public:
  explicit Tiff(std::string_view block) : block_(block), big_(block.starts_with('M')) {}

  std::uint64_t number(std::uint64_t offset, std::uint64_t size) const noexcept {
    if (offset > block_.size() || size > block_.size() - offset) return 0;
    std::uint64_t out = 0;
    for (std::uint64_t i = 0; i < size; ++i)
      out = out << 8 | static_cast<unsigned char>(block_[offset + (big_ ? i : size - 1 - i)]);
    return out;
  }

 private:
  std::string_view block_;
  bool big_;
};

}  // namespace

int exif_orientation(std::string_view block) noexcept {
  constexpr std::string_view kPrefix("Exif\0\0", 6);
  if (block.starts_with(kPrefix)) block.remove_prefix(kPrefix.size());
  if (!block.starts_with("II") && !block.starts_with("MM")) return 1;
  const Tiff tiff(block);
  if (tiff.number(2, 2) != 42) return 1;
  const std::uint64_t folder = tiff.number(4, 4);
  const std::uint64_t entries = tiff.number(folder, 2);
  for (std::uint64_t i = 0; i < entries; ++i) {
    const std::uint64_t entry = folder + 2 + i * kEntryBytes;
    if (tiff.number(entry, 2) != kOrientationTag || tiff.number(entry + 2, 2) != kShort) continue;
    const std::uint64_t found = tiff.number(entry + 8, 2);
    return found >= 1 && found <= 8 ? static_cast<int>(found) : 1;
  }
  return 1;
}

Picture upright(Picture stored, int orientation) {
  if (orientation <= 1 || orientation > 8) return stored;
  const bool turned = orientation >= 5;  // rows become columns
  Picture out{turned ? stored.height : stored.width,
              turned ? stored.width : stored.height,
              stored.channels,
              {}};
  out.pixels.resize(stored.pixels.size());
  const bool from_right = orientation == 2 || orientation == 3 || orientation >= 7;
  const bool from_below =
      orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  std::uint8_t* to = out.pixels.data();
  for (std::uint32_t y = 0; y < out.height; ++y) {
    for (std::uint32_t x = 0; x < out.width; ++x) {
      std::size_t column = turned ? y : x;
      std::size_t row = turned ? x : y;
      if (from_right) column = stored.width - 1 - column;
      if (from_below) row = stored.height - 1 - row;
      const std::uint8_t* from = &stored.pixels[(row * stored.width + column) * stored.channels];
      for (std::uint32_t c = 0; c < stored.channels; ++c) *to++ = from[c];
    }
  }
  return out;
}

}  // namespace benzer
