// Draws numbers from a seed: the same on every machine, and a separate stream for each trial, so
// that results do not depend on the number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "base/int128.h"
#include "base/splitmix.h"

namespace benzer::experiments {

class Draws {
 public:
  explicit Draws(std::uint64_t seed, std::uint64_t a = 0, std::uint64_t b = 0) noexcept
      : state_(splitmix64(splitmix64(splitmix64(seed) ^ a) ^ b)) {}

  static Draws from_state(std::uint64_t state) noexcept {
    Draws out(0);
    out.state_ = state;
    return out;
  }

  std::uint64_t next() noexcept {
    const std::uint64_t number = splitmix64(state_);
    state_ += kSplitmixStep;
    return number;
  }
  // A number below the bound. All are equally likely except for a share of bound / 2^64.
  std::uint64_t below(std::uint64_t bound) noexcept {
    return static_cast<std::uint64_t>((Uint128{next()} * bound) >> 64);
  }
  double unit() noexcept { return static_cast<double>(next() >> 11) * 0x1p-53; }

  // Numbers of 64 bits: it does not happen in practice that two of a few million are equal.
  std::vector<std::uint64_t> numbers(std::size_t count) {
    std::vector<std::uint64_t> out(count);
    for (auto& number : out) number = next();
    return out;
  }
  // The numbers 0 to count - 1 in random order.
  std::vector<std::uint32_t> permutation(std::uint32_t count) {
    std::vector<std::uint32_t> out(count);
    std::iota(out.begin(), out.end(), 0u);
    for (std::uint32_t i = count; i > 1; --i) std::swap(out[i - 1], out[below(i)]);
    return out;
  }

 private:
  std::uint64_t state_;
};

}  // namespace benzer::experiments
