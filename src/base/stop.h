// The wish of a caller that work should end: a flag that another thread or a signal handler raises.
#pragma once

#include <atomic>

#include "benzer/error.h"

namespace benzer {

// Throws Error(kInterrupted) if the flag is there and true. Cost: a load; ask as often as every
// kilobyte.
inline void throw_if_stopped(const std::atomic<bool>* stop) {
  if (stop != nullptr && stop->load(std::memory_order_relaxed))
    throw Error(ErrorCode::kInterrupted, "interrupted");
}

}  // namespace benzer
