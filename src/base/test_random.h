// Seeded random numbers for tests: the same on every machine, unlike the distributions of <random>.
#pragma once

#include <cstdint>
#include <cstdlib>
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

// Returns the number in an environment variable, by which ./dev soak makes a test longer.
inline std::uint64_t test_amount(const char* variable, std::uint64_t otherwise) {
  const char* given = std::getenv(variable);
  return given != nullptr ? std::strtoull(given, nullptr, 10) : otherwise;
}
// The seed of a test, which is another one for each part of ./dev soak.
inline std::uint64_t test_seed(std::uint64_t otherwise) {
  return test_amount("BENZER_TEST_SEED", otherwise);
}

}  // namespace benzer
