// Finds and describes key points of an image, which are found again in a part of it, or when it is
// turned, larger, smaller, brighter, or partly covered.
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

// Describes what surrounds a point, relative to its angle: 4 x 4 cells, row by row, and in each the
// strength of slopes in each of 8 directions. A unit vector, times 512, cut at 255.
using Descriptor = std::array<std::uint8_t, 128>;

struct KeyPoint {
  float x = 0, y = 0;  // in pixels, from the centre of the top left pixel
  float size = 0;      // deviation of the Gaussian blur where it was found, in pixels
  float angle = 0;     // of its strongest slope, in [0, 2 pi), from x to y
  Descriptor descriptor{};
};

// The points of highest contrast, at most `most`, spread over a grey image. An image with a side
// below 16 pixels has none. Cost: some 30 ms for 512 x 384 pixels. Threads: a pure function.
std::vector<KeyPoint> key_points(const Picture& grey, std::size_t most);

}  // namespace benzer
