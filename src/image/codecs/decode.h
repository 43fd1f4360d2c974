// Decodes the bytes of an image file in this process. Only the child, its tests and the fuzzer use
// it; all other code uses an ImageDecoder.
#pragma once

#include <string_view>

#include "image/decoder.h"

namespace benzer {

// Never throws: what is wrong with the bytes is in `problem` of the result. The caller enforces the
// time limit. The memory limit is given to libjpeg only; the sandbox enforces it for the rest.
DecodedImage decode_image(std::string_view bytes, const DecodeRequest& request,
                          const ImageLimits& limits) noexcept;

}  // namespace benzer
