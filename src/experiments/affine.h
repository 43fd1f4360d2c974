// The linear family of the documents, without their shortcuts: x -> (a x + b) mod 2^61 - 1.
#pragma once

#include <cstdint>

#include "base/int128.h"
#include "experiments/draws.h"

namespace benzer::experiments {

inline constexpr std::uint64_t kMersenne61 = (std::uint64_t{1} << 61) - 1;

struct Affine61 {
  std::uint64_t a, b;  // below the prime, a not 0

  explicit Affine61(Draws& draws) noexcept
      : a(1 + draws.below(kMersenne61 - 1)), b(draws.below(kMersenne61)) {}

  // x must be below the prime.
  std::uint64_t operator()(std::uint64_t x) const noexcept {
    const Uint128 product = Uint128{a} * x + b;
    std::uint64_t sum = (static_cast<std::uint64_t>(product) & kMersenne61) +
                        static_cast<std::uint64_t>(product >> 61);
    return sum >= kMersenne61 ? sum - kMersenne61 : sum;
  }
};

}  // namespace benzer::experiments
