// The hash functions that the five documents draw, as families for minima: x -> a x + b in one
// arithmetic or another.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "benzer/config.h"

namespace benzer {

// Threads: immutable; share freely.
class DrawnHashes {
 public:
  // For kLinear, kModPrime, kMultiplyShift and kJavaRandom as many functions as slots; for kBottomK
  // and kSingle one.
  explicit DrawnHashes(const SketchSpec& sketch);

  // Slot i is the least value (with +max the largest, see format.md) of function i. No features:
  // all slots are kEmptySlot.
  void minima(std::span<const std::uint64_t> features,
              std::span<std::uint64_t> slots) const noexcept;

  // The smallest different values of the one function, ascending; behind them kEmptySlot.
  void smallest(std::span<const std::uint64_t> features,
                std::span<std::uint64_t> slots) const noexcept;

 private:
  // value: of a feature; slot: what is kept of the least.
  template <class Value, class Slot>
  void minima(std::span<const std::uint64_t> features, std::span<std::uint64_t> slots, Value value,
              Slot slot) const noexcept;

  SketchSpec::Scheme scheme_;
  bool maximum_;
  std::vector<std::uint64_t> a_, b_;
};

}  // namespace benzer
