// Which side of a picture is up, as cameras note it.
#pragma once

#include <string_view>

#include "image/picture.h"

namespace benzer {

// 1 to 8, as EXIF counts; 1, as the pixels are, where the block does not say or is damaged. The
// block may begin with "Exif" and two zeros, or with what follows it in a JPEG.
int exif_orientation(std::string_view block) noexcept;

Picture upright(Picture stored, int orientation);

}  // namespace benzer
