// Encodes pixels as a small JPEG file in this process. Only the child and its tests use it; all
// other code uses an ImageDecoder.
#pragma once

#include <string>

#include "image/picture.h"

namespace benzer {

// Takes grey or colour, with no side longer than kLongestEncoded. Throws std::runtime_error, or
// std::bad_alloc.
std::string encode_as_jpeg(const Picture& picture);

}  // namespace benzer
