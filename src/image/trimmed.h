// Removes a frame that was put around an image.
#pragma once

#include "image/picture.h"

namespace benzer {

// Cuts off each side that begins with lines of one grey and ends in a sharp edge, up to a fifth of
// the image. A side without such lines (or with more of them) stays as it is. The image must be
// grey.
Picture trimmed(const Picture& grey);

}  // namespace benzer
