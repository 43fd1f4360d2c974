// A picture of any size as w x h numbers: each the mean of the area it covers.
#pragma once

#include <cstdint>
#include <vector>

#include "image/picture.h"

namespace benzer {

// Of a grey picture that is not empty, sides up to 2^24 pixels. Row by row, each the exact mean
// times the picture's width times its height, so that two of one picture compare without rounding.
// Where the target is larger than the picture, a pixel is cut into parts: each part has its grey.
std::vector<std::uint64_t> area_sums(const Picture& grey, std::uint32_t width,
                                     std::uint32_t height);

// The means, rounded half up.
Picture area_resized(const Picture& grey, std::uint32_t width, std::uint32_t height);

}  // namespace benzer
