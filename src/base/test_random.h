// Seeded random numbers for tests: the same on every machine, unlike the distributions of <random>.
#pragma once

#include <cstdint>
#include <vector>

namespace benzer {

class TestRandom {
 public:
  explicit TestRandom(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() noexcept {  // splitmix64
    state_ += 0x9E3779B97F4A7C15;
    std::uint64_t x = state_;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
    return x ^ (x >> 31);
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
