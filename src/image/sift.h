// Points of a picture that are found again in a part of it, or when it is turned, larger, smaller,
// brighter, or partly covered.
//
// After D. Lowe, "Distinctive Image Features from Scale-Invariant Keypoints" (IJCV 2004), with the
// square roots of R. Arandjelovic and A. Zisserman, "Three things everyone should know to improve
// object retrieval" (CVPR 2012).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "image/picture.h"

namespace benzer {

// 4 x 4 cells of what surrounds the point, row by row, upright for the point: in each, how much of
// it rises into each of 8 directions. A unit vector, times 512, cut at 255.
using Descriptor = std::array<std::uint8_t, 128>;

struct KeyPoint {
  float x = 0, y = 0;  // in pixels, from the middle of the top left one
  float size = 0;      // the deviation of the bell that it stands out at, in pixels
  float angle = 0;     // of its strongest slope, in [0, 2 pi), from x to y
  Descriptor descriptor{};
};

// The points that stand out most, at most so many, spread over the picture. Of a grey picture; of
// one below 16 pixels a side there are none. Cost: some 30 ms for 512 x 384 pixels. Threads: a pure
// function.
std::vector<KeyPoint> key_points(const Picture& grey, std::size_t most);

}  // namespace benzer
