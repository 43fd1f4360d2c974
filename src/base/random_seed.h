// Draws an unpredictable number from the system.
#pragma once

#include <cstdint>
#include <random>

namespace benzer {

inline std::uint64_t random_seed() {
  std::random_device chance;
  return std::uint64_t{chance()} << 32 | chance();
}

}  // namespace benzer
