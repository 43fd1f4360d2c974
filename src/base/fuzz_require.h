// Aborts a fuzz target when a condition that must hold does not.
#pragma once

#include <cstdlib>

namespace benzer {

inline void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace benzer
