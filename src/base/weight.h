// Defines the weights of values: which are allowed, how they are counted, and how a feature carries
// one.
//
// A weight is counted in millionths, to five significant decimal digits, so that weights which
// people write (2, 0.125, 12.75) and their quotients are exact: 0.7 of 0.875 is 0.8. A feature with
// a weight is one 64-bit number: the upper 44 bits of the feature, and 20 bits for the weight. So
// whatever keeps, sorts, writes or tells apart features does the same with these. Two sets of 1,000
// values have a false common one with probability 6e-8.
//
// Cost: a few ns each. Threads: all functions are pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace benzer {

// The smallest and the largest weight of a value, and the largest sum of a document's weights. The
// sum in millionths is below 2^53, so that every overlap is an exact double.
inline constexpr double kLeastWeight = 0.000001;
inline constexpr double kMostWeight = 99'999'000;
inline constexpr double kMostTotalWeight = 9'000'000'000;

// A weight of 1, in millionths.
inline constexpr std::uint64_t kUnitWeight = 1'000'000;

// Returns a weight, or a sum of weights, that is counted in millionths.
inline double in_units(std::uint64_t millionths) noexcept {
  return static_cast<double>(millionths) / static_cast<double>(kUnitWeight);
}

// The bits of a feature that hold its weight.
inline constexpr std::uint64_t kWeightBits = (std::uint64_t{1} << 20) - 1;

// Returns what is wrong with a weight, to be printed after the name of its value: "is -2; allowed
// are numbers from ...". Empty if nothing is. NaN, infinity, zero and negative weights are refused.
std::string weight_problem(double weight);
// The same for a weight that is not allowed, as it was spelled.
std::string weight_problem(std::string_view spelled);

// What is wrong with a document whose weights have a larger sum, likewise.
inline constexpr const char* kSumProblem = "is more than 9000000000, the most that is allowed";

// The first thing that is wrong with the weights of a document.
struct WeightFault {
  std::optional<std::size_t> place;  // of the wrong weight; absent if their sum is too large
  std::string problem;               // to be printed after the name of the value, or of the sum
};
std::optional<WeightFault> find_weight_fault(std::span<const double> weights);

// Returns an allowed weight in millionths, rounded to five significant digits.
std::uint64_t millionths_of(double weight) noexcept;

// Returns the 20 bits of a weight in millionths, rounded to five significant digits. What is above
// the largest weight becomes the largest. Larger weights have larger codes.
std::uint64_t weight_code(std::uint64_t millionths) noexcept;

// Returns the weight of a code in millionths.
inline std::uint64_t weight_of_code(std::uint64_t code) noexcept {
  constexpr std::uint64_t kPowers[] = {
      1,         10,         100,         1'000,         10'000,        100'000,
      1'000'000, 10'000'000, 100'000'000, 1'000'000'000, 10'000'000'000};
  return code % 100'000 * kPowers[code / 100'000];  // 20 bits: at most 10
}

// Returns the feature with a weight in millionths.
inline std::uint64_t with_weight(std::uint64_t feature, std::uint64_t millionths) noexcept {
  return (feature & ~kWeightBits) | weight_code(millionths);
}

// Returns the weight of a feature in millionths.
inline std::uint64_t weight_of(std::uint64_t feature) noexcept {
  return weight_of_code(feature & kWeightBits);
}

// Returns the sum of the weights of some features in millionths.
inline std::uint64_t total_weight(std::span<const std::uint64_t> features) noexcept {
  std::uint64_t sum = 0;
  for (const std::uint64_t feature : features) sum += weight_of(feature);
  return sum;
}

}  // namespace benzer
