// Aligns two images as in Lucas and Kanade, "An Iterative Image Registration Technique", 1981. The
// step is computed on the base and inverted (Baker and Matthews, "Lucas-Kanade 20 Years On", 2004).
// Gain and offset are unknowns, too, and Cauchy weights reduce the influence of pixels that only
// one image has.
#include "image/align.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace benzer {
namespace {

constexpr std::size_t kUnknowns = 8;  // the map, gain and offset
constexpr std::size_t kLanes = 4;     // independent sums: the compiler may not reorder floats
using Equations = std::array<std::array<double, kUnknowns + 1>, kUnknowns>;

std::vector<float> smoothed(const std::vector<float>& grey, std::size_t side) {
  std::vector<float> along(grey.size());
  std::vector<float> both(grey.size());
  const std::size_t last = side - 1;
  for (std::size_t y = 0; y < side; ++y)
    for (std::size_t x = 0; x < side; ++x) {
      const float* row = &grey[y * side];
      along[y * side + x] = (row[x - (x > 0)] + 2 * row[x] + row[x + (x < last)]) / 4;
    }
  for (std::size_t y = 0; y < side; ++y) {
    const float* above = &along[(y - (y > 0)) * side];
    const float* row = &along[y * side];
    const float* below = &along[(y + (y < last)) * side];
    for (std::size_t x = 0; x < side; ++x)
      both[y * side + x] = (above[x] + 2 * row[x] + below[x]) / 4;
  }
  return both;
}

AlignLevel level_of(const std::vector<float>& raw, std::size_t side) {
  AlignLevel level;
  level.side = side;
  level.grey = smoothed(raw, side);
  level.slope_x.resize(raw.size());
  level.slope_y.resize(raw.size());
  const float unit = static_cast<float>(side) / 2;  // pixels per unit of a place
  for (std::size_t i = 0; i < side; ++i)
    level.places.push_back((static_cast<float>(i) + 0.5f) / unit - 1);
  for (std::size_t y = 0; y < side; ++y)
    for (std::size_t x = 0; x < side; ++x) {
      const std::size_t left = x - (x > 0);
      const std::size_t right = x + (x + 1 < side);
      const std::size_t up = y - (y > 0);
      const std::size_t down = y + (y + 1 < side);
      level.slope_x[y * side + x] = (level.grey[y * side + right] - level.grey[y * side + left]) *
                                    unit / static_cast<float>(right - left);
      level.slope_y[y * side + x] = (level.grey[down * side + x] - level.grey[up * side + x]) *
                                    unit / static_cast<float>(down - up);
    }
  return level;
}

std::vector<float> halved(const std::vector<float>& grey, std::size_t side) {
  std::vector<float> half;
  half.reserve(grey.size() / 4);
  for (std::size_t y = 0; y < side; y += 2)
    for (std::size_t x = 0; x < side; x += 2) {
      const float* corner = &grey[y * side + x];
      half.push_back((corner[0] + corner[1] + corner[side] + corner[side + 1]) / 4);
    }
  return half;
}

// Gaussian elimination with pivoting. The solution replaces the last column. False if the equations
// are singular.
bool solve(Equations& rows) {
  for (std::size_t i = 0; i < kUnknowns; ++i) {
    std::size_t pivot = i;
    for (std::size_t j = i + 1; j < kUnknowns; ++j)
      if (std::abs(rows[j][i]) > std::abs(rows[pivot][i])) pivot = j;
    if (std::abs(rows[pivot][i]) < 1e-9) return false;
    std::swap(rows[i], rows[pivot]);
    for (std::size_t j = i + 1; j < kUnknowns; ++j) {
      const double factor = rows[j][i] / rows[i][i];
      for (std::size_t k = i; k <= kUnknowns; ++k) rows[j][k] -= factor * rows[i][k];
    }
  }
  for (std::size_t i = kUnknowns; i-- > 0;) {
    for (std::size_t j = i + 1; j < kUnknowns; ++j)
      rows[i][kUnknowns] -= rows[i][j] * rows[j][kUnknowns];
    rows[i][kUnknowns] /= rows[i][i];
  }
  return true;
}

// Whether the map is a crop, a frame or a turn of a few percent and degrees. A larger map can make
// a different image fit.
bool near_to_nothing(const AffineMap& map) {
  const auto& m = map.m;
  return std::abs(m[0] - 1.05f) < 0.33f && std::abs(m[4] - 1.05f) < 0.33f &&
         std::abs(m[1]) < 0.14f && std::abs(m[3]) < 0.14f && std::abs(m[2]) < 0.32f &&
         std::abs(m[5]) < 0.32f;
}

// The map that applies `inner` first and `outer` second.
AffineMap composed(const AffineMap& outer, const AffineMap& inner) {
  AffineMap result;
  for (std::size_t row = 0; row < 6; row += 3)
    for (std::size_t column = 0; column < 3; ++column)
      result.m[row + column] = outer.m[row] * inner.m[column] +
                               outer.m[row + 1] * inner.m[3 + column] +
                               (column == 2 ? outer.m[row + 2] : 0);
  return result;
}

struct Light {
  double gain = 1;
  double offset = 0;
};

Light light_of(const AlignLevel& base, const std::vector<float>& over, double& places) {
  double sum_a = 0, sum_b = 0, sum_aa = 0, sum_ab = 0;
  places = 0;
  for (std::size_t i = 0; i < over.size(); ++i) {
    if (over[i] == kOutside) continue;
    const double a = base.grey[i];
    const double b = over[i];
    places += 1;
    sum_a += a;
    sum_b += b;
    sum_aa += a * a;
    sum_ab += a * b;
  }
  if (places == 0) return {};
  const double variance = sum_aa - sum_a * sum_a / places;
  Light light;
  if (variance > 1e-6) light.gain = std::max(0.2, (sum_ab - sum_a * sum_b / places) / variance);
  light.offset = (sum_b - light.gain * sum_a) / places;
  return light;
}

// The normal equations of over = gain * base(place + step * place) + offset, linearised, with a
// weight for each place.
Equations equations(const AlignLevel& base, const std::vector<float>& over, const Light& light,
                    float scale) {
  const std::size_t side = base.side;
  const auto gain = static_cast<float>(light.gain);
  const auto offset = static_cast<float>(light.offset);
  float sums[kUnknowns][kUnknowns + 1][kLanes] = {};
  for (std::size_t y = 0; y < side; ++y) {
    const float v = base.places[y];
    for (std::size_t x = 0; x < side; x += kLanes) {
      float terms[kUnknowns + 1][kLanes];
      float weights[kLanes];
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const std::size_t i = y * side + x + lane;
        const float u = base.places[x + lane];
        const bool there = over[i] != kOutside;
        const float b = there ? over[i] : 0;
        const float rest = (b - gain * base.grey[i] - offset) / scale;
        weights[lane] = there ? 1 / (1 + rest * rest) : 0;
        terms[0][lane] = base.slope_x[i] * u;
        terms[1][lane] = base.slope_x[i] * v;
        terms[2][lane] = base.slope_x[i];
        terms[3][lane] = base.slope_y[i] * u;
        terms[4][lane] = base.slope_y[i] * v;
        terms[5][lane] = base.slope_y[i];
        terms[6][lane] = base.grey[i];
        terms[7][lane] = 1;
        terms[8][lane] = b;
      }
      for (std::size_t k = 0; k < kUnknowns; ++k) {
        float weighted[kLanes];
        for (std::size_t lane = 0; lane < kLanes; ++lane)
          weighted[lane] = weights[lane] * terms[k][lane];
        for (std::size_t l = k; l <= kUnknowns; ++l)
          for (std::size_t lane = 0; lane < kLanes; ++lane)
            sums[k][l][lane] += weighted[lane] * terms[l][lane];
      }
    }
  }
  Equations result;
  for (std::size_t k = 0; k < kUnknowns; ++k)
    for (std::size_t l = 0; l <= kUnknowns; ++l) {
      const float* lanes = l < k ? sums[l][k] : sums[k][l];
      result[k][l] = (double{lanes[0]} + lanes[1]) + (double{lanes[2]} + lanes[3]);
    }
  return result;
}

}  // namespace

std::array<AlignLevel, 3> align_levels(const std::uint8_t* thumbnail, std::size_t side) {
  const std::vector<float> full(thumbnail, thumbnail + side * side);
  const std::vector<float> half = halved(full, side);
  return {level_of(full, side), level_of(half, side / 2),
          level_of(halved(half, side / 2), side / 4)};
}

std::vector<float> laid(const AlignLevel& over, const AffineMap& map) {
  // std::int32_t, since converting a float to any other integer type is slow.
  const auto side = static_cast<std::int32_t>(over.side);
  const auto size = static_cast<float>(side);
  const auto& m = map.m;
  std::vector<float> result(over.side * over.side);
  float* to = result.data();
  for (const float v : over.places) {
    // In pixels of `over`. The half pixel around the outermost centres still belongs to the image.
    const float row_x = (m[1] * v + m[2] + 1) * size / 2 - 0.5f;
    const float row_y = (m[4] * v + m[5] + 1) * size / 2 - 0.5f;
    const float step_x = m[0] * size / 2;
    const float step_y = m[3] * size / 2;
    for (const float u : over.places) {
      const float x = row_x + step_x * u;
      const float y = row_y + step_y * u;
      if (x < -0.5f || y < -0.5f || x > size - 0.5f || y > size - 0.5f) {
        *to++ = kOutside;
        continue;
      }
      const std::int32_t left = std::clamp(static_cast<std::int32_t>(x), 0, side - 2);
      const std::int32_t up = std::clamp(static_cast<std::int32_t>(y), 0, side - 2);
      const float part_x = std::clamp(x - static_cast<float>(left), 0.0f, 1.0f);
      const float part_y = std::clamp(y - static_cast<float>(up), 0.0f, 1.0f);
      const float* corner = over.grey.data() + up * side + left;
      const float above = corner[0] + (corner[1] - corner[0]) * part_x;
      const float below = corner[side] + (corner[side + 1] - corner[side]) * part_x;
      *to++ = above + (below - above) * part_y;
    }
  }
  return result;
}

void fit(const AlignLevel& base, const AlignLevel& over, int steps, AffineMap& map) {
  Light light;
  for (int i = 0; i < steps; ++i) {
    const std::vector<float> greys = laid(over, map);
    double places = 0;
    const Light least_squares = light_of(base, greys, places);
    if (places * 3 < static_cast<double>(greys.size())) return;
    if (i == 0) light = least_squares;
    double rest = 0;
    for (std::size_t j = 0; j < greys.size(); ++j)
      if (greys[j] != kOutside)
        rest += std::abs(greys[j] - light.gain * base.grey[j] - light.offset);
    const double scale = std::max(1.0, 1.5 * rest / places);
    Equations rows = equations(base, greys, light, static_cast<float>(scale));
    // Damping: where there is little slope, the map changes little.
    double trace = 0;
    for (std::size_t k = 0; k < 6; ++k) trace += rows[k][k];
    for (std::size_t k = 0; k < 6; ++k) rows[k][k] += 1e-3 * (trace / 6 + 1);
    if (!solve(rows)) return;
    light = {rows[6][kUnknowns], rows[7][kUnknowns]};
    if (light.gain < 0.1 || light.gain > 10) return;
    AffineMap step;
    for (std::size_t k = 0; k < 6; ++k)
      step.m[k] += static_cast<float>(std::clamp(rows[k][kUnknowns] / light.gain, -0.15, 0.15));
    const AffineMap next = composed(map, inverse(step));
    if (!near_to_nothing(next)) return;
    map = next;
  }
}

}  // namespace benzer
