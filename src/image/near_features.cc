#include "image/near_features.h"

#include <algorithm>
#include <array>

#include "image/hash_features.h"

namespace benzer {
namespace {

constexpr std::uint64_t kThumbnailMark = std::uint64_t{1} << 62;
constexpr std::uint64_t kQualityMark = std::uint64_t{1} << 61;
constexpr std::size_t kPixels = 6;
constexpr int kPlaceShift = 48;

}  // namespace

void add_near_features(const NearFeatures& picture, std::vector<std::uint64_t>& out) {
  constexpr int kBits = 64 * static_cast<int>(std::tuple_size_v<decltype(ImageHash::words)>);
  add_hash_features(picture.whole, kBits, 0, out);
  add_hash_features(picture.inner, kBits, 1, out);
  out.push_back(kQualityMark | static_cast<std::uint64_t>(picture.inner.quality) << 8 |
                static_cast<std::uint64_t>(picture.whole.quality));
  if (picture.file.is_there()) add_file_features(picture.file, out);
  const auto& pixels = picture.thumbnail;
  for (std::size_t begin = 0; begin < pixels.size(); begin += kPixels) {
    std::uint64_t feature = kThumbnailMark | begin / kPixels << kPlaceShift;
    const std::size_t end = std::min(pixels.size(), begin + kPixels);
    for (std::size_t i = begin; i < end; ++i)
      feature |= static_cast<std::uint64_t>(pixels[i]) << 8 * (i - begin);
    out.push_back(feature);
  }
}

NearFeatures read_near_features(std::span<const std::uint64_t> features) noexcept {
  NearFeatures out;
  std::array<ImageHash*, 2> hashes{&out.whole, &out.inner};
  for (const std::uint64_t feature : features) {
    if ((feature & kBytesMark) != 0) {
      read_file_feature(feature, out.file);
      continue;
    }
    if ((feature & kQualityMark) != 0) {
      out.whole.quality = static_cast<std::uint8_t>(feature);
      out.inner.quality = static_cast<std::uint8_t>(feature >> 8);
      continue;
    }
    if ((feature & kThumbnailMark) == 0) {
      set_chunk(*hashes[feature >> 24 & 1], static_cast<int>(feature >> 16 & 15),
                static_cast<std::uint16_t>(feature));
      continue;
    }
    const std::size_t begin = (feature >> kPlaceShift & 0x3FF) * kPixels;
    const std::size_t end = std::min(out.thumbnail.size(), begin + kPixels);
    for (std::size_t i = begin; i < end; ++i)
      out.thumbnail[i] = static_cast<std::uint8_t>(feature >> 8 * (i - begin));
  }
  return out;
}

}  // namespace benzer
