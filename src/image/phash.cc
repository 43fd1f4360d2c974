#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "image/area.h"
#include "image/hashes.h"

namespace benzer {
namespace {

constexpr std::size_t kSamples = 32;
constexpr std::size_t kFrequencies = 8;

// cos(pi k (2 j + 1) / 64) in units of 2^-14. With whole numbers all coefficients of a flat image
// but the first are exactly 0, and every machine computes the same bits.
using Cosines = std::array<std::array<std::int64_t, kSamples>, kFrequencies>;

Cosines cosines() {
  Cosines table{};
  for (std::size_t k = 0; k < kFrequencies; ++k)
    for (std::size_t j = 0; j < kSamples; ++j) {
      const auto steps = static_cast<double>(k * (2 * j + 1));
      table[k][j] = std::lround(16384 * std::cos(std::numbers::pi * steps / (2 * kSamples)));
    }
  return table;
}

}  // namespace

// Neal Krawetz, "Looks Like It", 2011, in the form and bit order of the ImageHash library: the 8 x
// 8 lowest coefficients of the DCT-II of 32 x 32 means, each compared with their median.
ImageHash phash(const Picture& grey) {
  static const Cosines table = cosines();
  const std::uint64_t area = std::uint64_t{grey.width} * grey.height;
  const std::vector<std::uint64_t> sums = area_sums(grey, kSamples, kSamples);

  std::array<std::array<std::int64_t, kSamples>, kFrequencies> half{};  // down the columns
  for (std::size_t j = 0; j < kSamples; ++j)
    for (std::size_t x = 0; x < kSamples; ++x) {
      const auto mean =
          static_cast<std::int64_t>((512 * sums[j * kSamples + x] + area) / (2 * area));
      for (std::size_t k = 0; k < kFrequencies; ++k) half[k][x] += table[k][j] * mean;
    }
  std::array<std::int64_t, kFrequencies * kFrequencies> coefficients{};  // less than 2^54 each
  for (std::size_t v = 0; v < kFrequencies; ++v)
    for (std::size_t u = 0; u < kFrequencies; ++u)
      for (std::size_t x = 0; x < kSamples; ++x)
        coefficients[v * kFrequencies + u] += table[u][x] * half[v][x];

  auto sorted = coefficients;
  std::sort(sorted.begin(), sorted.end());
  const std::int64_t twice_median = sorted[31] + sorted[32];
  ImageHash hash;
  for (const std::int64_t coefficient : coefficients)
    hash.words[0] = hash.words[0] << 1 | (2 * coefficient > twice_median ? 1u : 0u);
  return hash;
}

}  // namespace benzer
