// From the bytes of an image file to pixels, in this process: only for the child, its tests and the
// fuzzer. Everybody else has an ImageDecoder.
#pragma once

#include <string_view>

#include "image/decoder.h"

namespace benzer {

// Never throws; what is wrong with the bytes is the problem of what it returns. The limit of time
// is the caller's to hold, and that of memory holds for the largest blocks only.
DecodedImage decode_image(std::string_view bytes, const DecodeRequest& request,
                          const ImageLimits& limits) noexcept;

}  // namespace benzer
