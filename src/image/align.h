// Laying one small grey picture over another. Places are in [-1, 1] along both axes, so a map is
// good for any level of a pyramid.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "image/affine_map.h"

namespace benzer {

// A square of greys with the slope at each place.
struct AlignLevel {
  std::size_t side = 0;  // a multiple of 4
  std::vector<float> grey;
  std::vector<float> slope_x;
  std::vector<float> slope_y;
  std::vector<float> places;  // of a column's or a row's middle
};

// A square thumbnail, smoothed, at full size, a half and a fourth of it.
std::array<AlignLevel, 3> align_levels(const std::uint8_t* thumbnail, std::size_t side);

// What of `over` lies over each place of a picture of the same size; nothing is kOutside.
inline constexpr float kOutside = -1000;
std::vector<float> laid(const AlignLevel& over, const AffineMap& map);

// Moves the map by some steps so that `over` fits `base` better, never far from the map that leaves
// all in its place; stops where that would be left.
void fit(const AlignLevel& base, const AlignLevel& over, int steps, AffineMap& map);

}  // namespace benzer
