// What a child gives up before it sees the first byte of an image.
#pragma once

#include "image/decoder.h"

namespace benzer::image_child {

inline constexpr int kSocket = 0;

// From here on the process has the open socket and memory up to the limit, and is killed when it
// calls the system for anything else. False if that cannot be had.
bool enter_sandbox(const ImageLimits& limits) noexcept;

// It ends by itself if an image takes that long: whoever started it may be gone. 0: no longer.
void end_after(double seconds) noexcept;

}  // namespace benzer::image_child
