// The finaliser of splitmix64 (Steele, Lea, Flood 2014): a bijection whose output looks random.
#pragma once

#include <cstdint>

namespace benzer {

inline std::uint64_t splitmix64(std::uint64_t x) noexcept {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

}  // namespace benzer
