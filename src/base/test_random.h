// Seeded random numbers for tests: the same on every machine, unlike the distributions of <random>.
#pragma once

#include <cstdint>
#include <vector>

#include "base/splitmix.h"

namespace benzer {

class TestRandom {
 public:
  explicit TestRandom(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() noexcept {
    const std::uint64_t number = splitmix64(state_);
    state_ += kSplitmixStep;
    return number;
  }
  std::uint64_t below(std::uint64_t bound) noexcept { return next() % bound; }

  std::vector<std::uint64_t> numbers(std::size_t count) {
    std::vector<std::uint64_t> out(count);
    for (auto& number : out) number = next();
    return out;
  }

 private:
  std::uint64_t state_;
};

}  // namespace benzer
