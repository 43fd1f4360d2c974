// Drops the privileges of a child before it sees the first byte of an image.
#pragma once

#include "image/decoder.h"

namespace benzer::image_child {

inline constexpr int kSocket = 0;

// After this the process has only its open socket, and memory up to the limit; any other system
// call kills it. With a sanitizer neither is limited. Returns false if the system refuses any of
// it.
bool enter_sandbox(const ImageLimits& limits) noexcept;

// Makes SIGPROF kill this process when it has used so many seconds of a core, and SIGALRM after so
// many of the clock, in case the parent is gone; 0 cancels either.
void end_after(double used, double passed) noexcept;

}  // namespace benzer::image_child
