// Finds the affine map that lays one small grey image over another. Places are in [-1, 1] along
// both axes, so a map is valid at any level of a pyramid.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "image/affine_map.h"

namespace benzer {

// A square grey image with the slope at each pixel.
struct AlignLevel {
  std::size_t side = 0;  // a multiple of 4
  std::vector<float> grey;
  std::vector<float> slope_x;
  std::vector<float> slope_y;
  std::vector<float> places;  // the centre of each column, and of each row
};

// The levels of a square thumbnail: smoothed, at full size, a half and a fourth of it.
std::array<AlignLevel, 3> align_levels(const std::uint8_t* thumbnail, std::size_t side);

// The grey of `over` at each place of a base of the same size; kOutside where `over` does not
// reach.
inline constexpr float kOutside = -1000;
std::vector<float> laid(const AlignLevel& over, const AffineMap& map);

// Improves the map by up to `steps` steps so that `over` fits `base` better. Stops before a step
// that would move the map far from the identity.
void fit(const AlignLevel& base, const AlignLevel& over, int steps, AffineMap& map);

}  // namespace benzer
