// Resizes an image of any size to w x h numbers, each the mean of the area that it covers.
#pragma once

#include <cstdint>
#include <vector>

#include "image/picture.h"

namespace benzer {

// For a grey image that is not empty, with sides of up to 2^24 pixels. Returns the cells row by
// row, each the exact mean times the width times the height of the image, so that two sums of one
// image compare without rounding. Where the target is larger than the image, a pixel is split into
// parts of the same grey.
std::vector<std::uint64_t> area_sums(const Picture& grey, std::uint32_t width,
                                     std::uint32_t height);

// The image resized: the means of area_sums(), rounded half up.
Picture area_resized(const Picture& grey, std::uint32_t width, std::uint32_t height);

}  // namespace benzer
