// What a fuzz target holds to be true.
#pragma once

#include <cstdlib>

namespace benzer {

inline void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace benzer
