// From pixels to a small JPEG file, in this process: only for the child and its tests. Everybody
// else has an ImageDecoder.
#pragma once

#include <string>

#include "image/picture.h"

namespace benzer {

// Grey or colour, no side longer than kLongestEncoded. Throws std::runtime_error, or
// std::bad_alloc.
std::string encode_as_jpeg(const Picture& picture);

}  // namespace benzer
