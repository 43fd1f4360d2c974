// Computes modulo the Mersenne prime 2^61 - 1, where a division is a shift and an addition.
#pragma once

#include <cstdint>

#include "base/int128.h"

namespace benzer {

inline constexpr std::uint64_t kMersenne61 = (std::uint64_t{1} << 61) - 1;

// x modulo 2^61 - 1, for any x.
inline std::uint64_t mod_mersenne61(std::uint64_t x) noexcept {
  x = (x & kMersenne61) + (x >> 61);
  return x >= kMersenne61 ? x - kMersenne61 : x;
}

// (a x + b) modulo 2^61 - 1, for a, x and b below it.
inline std::uint64_t linear_mersenne61(std::uint64_t a, std::uint64_t x, std::uint64_t b) noexcept {
  const Uint128 sum = static_cast<Uint128>(a) * x + b;
  return mod_mersenne61((static_cast<std::uint64_t>(sum) & kMersenne61) +
                        static_cast<std::uint64_t>(sum >> 61));
}

}  // namespace benzer
