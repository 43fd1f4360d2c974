// Mixes the bits of a number with the finaliser of splitmix64 (Steele, Lea, Flood 2014), a
// bijection whose output looks random.
#pragma once

#include <cstdint>

namespace benzer {

inline constexpr std::uint64_t kSplitmixStep = 0x9E3779B97F4A7C15;

// For a state that grows by kSplitmixStep from call to call, returns the generator's numbers.
inline std::uint64_t splitmix64(std::uint64_t x) noexcept {
  x += kSplitmixStep;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

}  // namespace benzer
