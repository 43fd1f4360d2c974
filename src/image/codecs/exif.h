// Reads from EXIF which side of an image is up, and turns the image upright.
#pragma once

#include <string_view>

#include "image/picture.h"

namespace benzer {

// Returns the orientation in the numbers of EXIF, 1 to 8; 1 (as the pixels are stored) if the block
// does not say or is damaged. The block may begin with "Exif" and two zeros, or with what follows
// them in a JPEG.
int exif_orientation(std::string_view block) noexcept;

Picture upright(Picture stored, int orientation);

}  // namespace benzer
