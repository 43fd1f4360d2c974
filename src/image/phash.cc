#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "image/area.h"
#include "image/hashes.h"

namespace benzer {
namespace {

constexpr std::size_t kSide = 32;
constexpr std::size_t kKept = 8;

// cos(pi k (2 j + 1) / 64) in units of 2^-14. In whole numbers a flat picture has exactly no
// coefficient but the first one, and every machine computes the same bits.
using Cosines = std::array<std::array<std::int64_t, kSide>, kKept>;

Cosines cosines() {
  Cosines table{};
  for (std::size_t k = 0; k < kKept; ++k)
    for (std::size_t j = 0; j < kSide; ++j) {
      const auto steps = static_cast<double>(k * (2 * j + 1));
      table[k][j] = std::lround(16384 * std::cos(std::numbers::pi * steps / (2 * kSide)));
    }
  return table;
}

}  // namespace

// Neal Krawetz, "Looks Like It", 2011, in the form and bit order of the ImageHash library: the 8 x
// 8 lowest coefficients of the DCT-II of 32 x 32 means, each compared with their median.
ImageHash phash(const Picture& grey) {
  static const Cosines table = cosines();
  const std::uint64_t area = std::uint64_t{grey.width} * grey.height;
  const std::vector<std::uint64_t> sums = area_sums(grey, kSide, kSide);

  std::array<std::array<std::int64_t, kSide>, kKept> half{};  // down the columns
  for (std::size_t j = 0; j < kSide; ++j)
    for (std::size_t x = 0; x < kSide; ++x) {
      const auto mean = static_cast<std::int64_t>((512 * sums[j * kSide + x] + area) / (2 * area));
      for (std::size_t k = 0; k < kKept; ++k) half[k][x] += table[k][j] * mean;
    }
  std::array<std::int64_t, kKept * kKept> coefficients{};  // less than 2^54 each
  for (std::size_t v = 0; v < kKept; ++v)
    for (std::size_t u = 0; u < kKept; ++u)
      for (std::size_t x = 0; x < kSide; ++x)
        coefficients[v * kKept + u] += table[u][x] * half[v][x];

  auto sorted = coefficients;
  std::sort(sorted.begin(), sorted.end());
  const std::int64_t twice_median = sorted[31] + sorted[32];
  ImageHash hash;
  for (const std::int64_t coefficient : coefficients)
    hash.words[0] = hash.words[0] << 1 | (2 * coefficient > twice_median ? 1u : 0u);
  return hash;
}

}  // namespace benzer
