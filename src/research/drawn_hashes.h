// The hash functions that the five documents draw, as families for minima: x -> a x + b in one
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
  // For kLinear, kModPrime, kMultiplyShift and kJavaRandom as many functions as slots; for kBottomK
  // and kSingle one.
  explicit DrawnHashes(const SketchSpec& sketch);

  void sketch(std::span<const std::uint64_t> features,
              std::span<std::uint64_t> slots) const noexcept override;

 private:
  // Slot i is the least value (with +max the largest, see format.md) of function i. No features:
  // all slots are kEmptySlot.
  void minima(std::span<const std::uint64_t> features,
              std::span<std::uint64_t> slots) const noexcept;

  // The smallest different values of the one function, ascending; behind them kEmptySlot.
  void smallest(std::span<const std::uint64_t> features,
                std::span<std::uint64_t> slots) const noexcept;

  // value: of a feature; slot: what is kept of the least.
  template <class Value, class Slot>
  void minima(std::span<const std::uint64_t> features, std::span<std::uint64_t> slots, Value value,
              Slot slot) const noexcept;

  SketchSpec::Scheme scheme_;
  bool has_positions_;
  bool maximum_;
  std::vector<std::uint64_t> a_, b_;
};

}  // namespace benzer
