// A picture without the frame somebody put around it.
#pragma once

#include "image/picture.h"

namespace benzer {

// Cuts off each side that begins with lines of one grey and ends in a sharp edge, up to a fifth of
// the picture; a side without such lines (or with more of them) stays as it is. Grey pictures.
Picture trimmed(const Picture& grey);

}  // namespace benzer
