// Defines the linear family of the documents, without their shortcuts: x -> (a x + b) mod 2^61 - 1.
#pragma once

#include <cstdint>

#include "base/mersenne61.h"
#include "research/experiments/draws.h"

namespace benzer::experiments {

struct Affine61 {
  std::uint64_t a, b;  // below the prime, a not 0

  explicit Affine61(Draws& draws) noexcept
      : a(1 + draws.below(kMersenne61 - 1)), b(draws.below(kMersenne61)) {}

  // x must be below the prime.
  std::uint64_t operator()(std::uint64_t x) const noexcept { return linear_mersenne61(a, x, b); }
};

}  // namespace benzer::experiments
