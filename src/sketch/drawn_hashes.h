// The hash functions that the five documents draw, as families for minima: x -> a x + b in one
// arithmetic or another.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "benzer/config.h"

namespace benzer {

// The 61 bits of the Mersenne prime 2^61 - 1, modulo which a division is a shift and an addition.
inline constexpr std::uint64_t kMersenne61 = (std::uint64_t{1} << 61) - 1;

// x modulo 2^61 - 1, for any x.
inline std::uint64_t mod_mersenne61(std::uint64_t x) noexcept {
  x = (x & kMersenne61) + (x >> 61);
  return x >= kMersenne61 ? x - kMersenne61 : x;
}

// (a x + b) modulo 2^61 - 1, for a, x and b below it.
std::uint64_t linear_mersenne61(std::uint64_t a, std::uint64_t x, std::uint64_t b) noexcept;

// Threads: immutable; share freely.
class DrawnHashes {
 public:
  // For kLinear, kModPrime, kMultiplyShift and kJavaRandom as many functions as slots; for kBottomK
  // and kSingle one.
  explicit DrawnHashes(const SketchSpec& sketch);

  // Slot i is the least value (with +max the largest, see format.md) of function i. No features: all
  // slots are kEmptySlot.
  void minima(std::span<const std::uint64_t> features,
              std::span<std::uint64_t> slots) const noexcept;

  // The smallest different values of the one function, ascending; behind them kEmptySlot.
  void smallest(std::span<const std::uint64_t> features,
                std::span<std::uint64_t> slots) const noexcept;

 private:
  template <class Value>
  void minima(std::span<const std::uint64_t> features, std::span<std::uint64_t> slots,
              Value value) const noexcept;

  SketchSpec::Scheme scheme_;
  bool maximum_;
  std::vector<std::uint64_t> a_, b_;
};

}  // namespace benzer
