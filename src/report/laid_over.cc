#include "report/laid_over.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "image/sift_match.h"

namespace benzer::report {
namespace {

constexpr int kDark = 3;  // divides greys

// Returns the grey of the picture at the place that the map gives for a column and row, or -1.
int grey_over(const Picture& picture, const AffineMap& map, std::uint32_t column,
              std::uint32_t row) {
  const auto x = static_cast<float>(column), y = static_cast<float>(row);
  const auto& m = map.m;
  const float there_x = m[0] * x + m[1] * y + m[2], there_y = m[3] * x + m[4] * y + m[5];
  const auto right = static_cast<float>(picture.width - 1);
  const auto bottom = static_cast<float>(picture.height - 1);
  if (!(there_x >= 0 && there_y >= 0 && there_x <= right && there_y <= bottom)) return -1;
  const auto left = static_cast<std::size_t>(std::lround(there_x));
  const auto top = static_cast<std::size_t>(std::lround(there_y));
  return picture.pixels[top * picture.width + left];
}

// Lays `other` over a darkened `base`, and sets the share of base that it covers. map: from base's
// pixels to the other's.
Picture over(const Picture& base, const Picture& other, const AffineMap& map, double* share) {
  Picture out = base;
  std::size_t shown = 0;
  for (std::uint32_t y = 0; y < base.height; ++y)
    for (std::uint32_t x = 0; x < base.width; ++x) {
      std::uint8_t& pixel = out.pixels[std::size_t{y} * base.width + x];
      const int grey = grey_over(other, map, x, y);
      shown += grey >= 0 ? 1 : 0;
      pixel = static_cast<std::uint8_t>(grey >= 0 ? grey : pixel / kDark);
    }
  *share = static_cast<double>(shown) / static_cast<double>(out.pixels.size());
  return out;
}

}  // namespace

std::optional<LaidOver> laid_over(const Picture& a, std::span<const VisualWord> words_a,
                                  const Picture& b, std::span<const VisualWord> words_b) {
  const SiftMatch found = match(words_a, words_b);
  if (found.score < kSiftThreshold) return std::nullopt;
  LaidOver out;
  Picture on_a = over(a, b, found.map, &out.share_of_a);
  Picture on_b = over(b, a, inverse(found.map), &out.share_of_b);
  out.picture = out.share_of_a <= out.share_of_b ? std::move(on_a) : std::move(on_b);
  return out;
}

}  // namespace benzer::report
