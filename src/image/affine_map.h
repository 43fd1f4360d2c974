// Defines an affine map from the coordinates of one image to those of another: it moves, turns,
// scales and shears.
#pragma once

#include <array>

namespace benzer {

// x' = m[0] x + m[1] y + m[2], y' = m[3] x + m[4] y + m[5]. The unit of x and y is up to the code
// that uses the map.
struct AffineMap {
  std::array<float, 6> m{1, 0, 0, 0, 1, 0};
};

// The factor by which the map changes areas; below 0 if it also mirrors.
inline float area_of(const AffineMap& map) { return map.m[0] * map.m[4] - map.m[1] * map.m[3]; }

// The map must not be singular: area_of(map) != 0.
inline AffineMap inverse(const AffineMap& map) {
  const auto& m = map.m;
  const float area = area_of(map);
  return {.m = {m[4] / area, -m[1] / area, (m[1] * m[5] - m[4] * m[2]) / area, -m[3] / area,
                m[0] / area, (m[3] * m[2] - m[0] * m[5]) / area}};
}

}  // namespace benzer
