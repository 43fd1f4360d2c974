// Computes the image features of the 2012 course report: 16 x 16 cells and the grey of each.
#pragma once

#include <array>
#include <cstdint>

#include "image/picture.h"

namespace benzer {

// The mean of each cell of a grey image that is not empty, rounded half up, row by row. A feature
// is a cell together with a level of grey; the caller reduces greys to levels.
std::array<std::uint8_t, 256> grid16(const Picture& grey);

}  // namespace benzer
