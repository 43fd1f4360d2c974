// Computes signatures with the hash functions that the five documents draw: x -> a x + b, in one
// arithmetic or another.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "features/extension.h"

namespace benzer {

// Threads: immutable; share freely.
class DrawnHashes final : public internal::SlotFunctions {
 public:
  // Draws as many functions as slots for kLinear, kModPrime, kMultiplyShift and kJavaRandom, and
  // one for kBottomK and kSingle.
  explicit DrawnHashes(const SketchSpec& sketch);

  void sketch(std::span<const std::uint64_t> features,
              std::span<std::uint64_t> slots) const noexcept override;

 private:
  // Slot i is the smallest value (with +max the largest, see format.md) of function i. Without
  // features all slots are kEmptySlot.
  void minima(std::span<const std::uint64_t> features,
              std::span<std::uint64_t> slots) const noexcept;

  // The smallest distinct values of the one function, ascending, followed by kEmptySlot.
  void smallest(std::span<const std::uint64_t> features,
                std::span<std::uint64_t> slots) const noexcept;

  // value(a, feature, b) is the hash of a feature; slot(least) is what is stored of the minimum.
  template <class Value, class Slot>
  void minima(std::span<const std::uint64_t> features, std::span<std::uint64_t> slots, Value value,
              Slot slot) const noexcept;

  SketchSpec::Scheme scheme_;
  bool has_positions_;
  bool maximum_;
  std::vector<std::uint64_t> a_, b_;
};

}  // namespace benzer
