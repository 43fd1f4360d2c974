// Computes PDQ hashes: "The TMK+PDQF Video-Hashing Algorithm and the PDQ Image-Hashing Algorithm",
// Facebook 2019, and its reference code in ThreatExchange, where the constants come from.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numbers>

#include "image/hashes.h"

namespace benzer {
namespace {

constexpr std::size_t kSide = 64;
constexpr std::size_t kKept = 16;
constexpr std::uint32_t kSmallest = 5;

using Small = std::array<std::array<float, kSide>, kSide>;

// One of the 64 samples along an axis: a weighted sum of adjacent pixels.
struct Sample {
  std::size_t begin = 0;
  std::vector<float> weights;
};

// The box filter of the reference code at one place: it averages the pixels [begin, end).
struct Box {
  std::size_t begin;
  std::size_t end;
};

Box box_at(std::size_t place, std::size_t length, std::size_t window) {
  const std::size_t ahead = (window + 2) / 2;  // pixels from the place on, which is included
  const std::size_t behind = window - ahead;
  return {place > behind ? place - behind : 0, std::min(length, place + ahead)};
}

// The reference code filters all pixels twice along each axis, and then keeps 64 x 64 of them. All
// of that is linear, and the axes are independent. So here each kept pixel is computed directly
// from its few weights, and no other pixel is.
std::array<Sample, kSide> samples_of(std::size_t length) {
  const std::size_t window = (length + 2 * kSide - 1) / (2 * kSide);
  std::array<Sample, kSide> samples;
  for (std::size_t i = 0; i < kSide; ++i) {
    const Box outer = box_at((2 * i + 1) * length / (2 * kSide), length, window);
    const std::size_t begin = box_at(outer.begin, length, window).begin;
    const std::size_t end = box_at(outer.end - 1, length, window).end;
    std::vector<double> weights(end - begin);
    for (std::size_t place = outer.begin; place < outer.end; ++place) {
      const Box inner = box_at(place, length, window);
      const double share =
          1.0 / static_cast<double>((outer.end - outer.begin) * (inner.end - inner.begin));
      for (std::size_t j = inner.begin; j < inner.end; ++j) weights[j - begin] += share;
    }
    samples[i].begin = begin;
    samples[i].weights.assign(weights.begin(), weights.end());
  }
  return samples;
}

void reduce(const Picture& grey, Small& small) {
  const std::size_t width = grey.width;
  const auto down = samples_of(grey.height);
  const auto across = samples_of(width);
  std::vector<float> row(width);
  for (std::size_t y = 0; y < kSide; ++y) {
    std::fill(row.begin(), row.end(), 0.0f);
    const std::uint8_t* pixels = grey.pixels.data() + down[y].begin * width;
    for (const float weight : down[y].weights) {
      for (std::size_t x = 0; x < width; ++x) row[x] += weight * static_cast<float>(pixels[x]);
      pixels += width;
    }
    for (std::size_t x = 0; x < kSide; ++x) {
      const float* from = row.data() + across[x].begin;
      float sum = 0;
      for (const float weight : across[x].weights) sum += weight * *from++;
      small[y][x] = sum;
    }
  }
}

// Adds up the visible gradients, each in whole percents of the grey scale.
int quality_of(const Small& small) {
  int gradients = 0;
  const auto add = [&](float a, float b) {
    gradients += std::abs(static_cast<int>((a - b) * 100 / 255));
  };
  for (std::size_t y = 0; y < kSide; ++y)
    for (std::size_t x = 0; x < kSide; ++x) {
      if (y + 1 < kSide) add(small[y][x], small[y + 1][x]);
      if (x + 1 < kSide) add(small[y][x], small[y][x + 1]);
    }
  return std::min(100, gradients / 90);
}

// Rows 1 to 16 of the DCT-II matrix, [frequency][place], and their transpose.
struct Dct {
  std::array<std::array<float, kSide>, kKept> rows;
  std::array<std::array<float, kKept>, kSide> columns;
  Dct() {
    const double scale = std::sqrt(2.0 / kSide);
    for (std::size_t i = 0; i < kKept; ++i)
      for (std::size_t j = 0; j < kSide; ++j) {
        const auto steps = static_cast<double>((i + 1) * (2 * j + 1));
        rows[i][j] = static_cast<float>(scale * std::cos(std::numbers::pi * steps / (2 * kSide)));
        columns[j][i] = rows[i][j];
      }
  }
};

std::array<float, kKept * kKept> low_frequencies(const Small& small) {
  static const Dct dct;
  std::array<float, kKept * kKept> result{};
  for (std::size_t v = 0; v < kKept; ++v) {
    std::array<float, kSide> half{};
    for (std::size_t y = 0; y < kSide; ++y) {
      const float cosine = dct.rows[v][y];
      for (std::size_t x = 0; x < kSide; ++x) half[x] += cosine * small[y][x];
    }
    std::array<float, kKept> line{};
    for (std::size_t x = 0; x < kSide; ++x)
      for (std::size_t u = 0; u < kKept; ++u) line[u] += half[x] * dct.columns[x][u];
    std::copy(line.begin(), line.end(), result.begin() + static_cast<std::ptrdiff_t>(v * kKept));
  }
  return result;
}

}  // namespace

ImageHash pdq(const Picture& grey) {
  ImageHash hash;
  if (grey.width < kSmallest || grey.height < kSmallest) {
    hash.quality = 0;
    return hash;
  }
  Small small;
  reduce(grey, small);
  hash.quality = quality_of(small);
  const auto coefficients = low_frequencies(small);
  auto ordered = coefficients;
  const auto median = ordered.begin() + ordered.size() / 2 - 1;  // the lower one, as the reference
  std::nth_element(ordered.begin(), median, ordered.end());
  for (std::size_t i = 0; i < coefficients.size(); ++i)
    if (coefficients[i] > *median) hash.words[i / 64] |= std::uint64_t{1} << (i % 64);
  return hash;
}

}  // namespace benzer
