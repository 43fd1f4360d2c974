// From the places of one picture to those of another: moved, turned, scaled, slanted.
#pragma once

#include <array>

namespace benzer {

// x' = m[0] x + m[1] y + m[2], y' = m[3] x + m[4] y + m[5]. In which unit, its user says.
struct AffineMap {
  std::array<float, 6> m{1, 0, 0, 0, 1, 0};
};

// How large what has the area 1 becomes; below 0: it is mirrored, too.
inline float area_of(const AffineMap& map) { return map.m[0] * map.m[4] - map.m[1] * map.m[3]; }

// Of a map that does not flatten the picture.
inline AffineMap inverse(const AffineMap& map) {
  const auto& m = map.m;
  const float area = area_of(map);
  return {.m = {m[4] / area, -m[1] / area, (m[1] * m[5] - m[4] * m[2]) / area, -m[3] / area,
                m[0] / area, (m[3] * m[2] - m[0] * m[5]) / area}};
}

}  // namespace benzer
