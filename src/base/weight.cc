#include "base/weight.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace benzer {
namespace {

constexpr std::uint64_t kMantissas = 100'000;  // a mantissa has at most five digits
constexpr std::uint64_t kMostMillionths = 99'999'000 * kUnitWeight;

}  // namespace

std::string weight_problem(double weight) {
  if (weight >= kLeastWeight && weight <= kMostWeight) return {};
  return weight_problem(fmt::format("{}", weight));
}

std::string weight_problem(std::string_view spelled) {
  constexpr std::size_t kShown = 40;
  return fmt::format("is {}{}; allowed are numbers from 0.000001 to 99999000",
                     spelled.substr(0, kShown), spelled.size() > kShown ? "..." : "");
}

std::optional<WeightFault> find_weight_fault(std::span<const double> weights) {
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (std::string problem = weight_problem(weights[i]); !problem.empty())
      return WeightFault{i, std::move(problem)};
    sum += weights[i];
  }
  if (sum > kMostTotalWeight) return WeightFault{std::nullopt, kSumProblem};
  return std::nullopt;
}

// The product is rounded once, to the nearest double, on every machine.
std::uint64_t millionths_of(double weight) noexcept {
  return weight_of_code(weight_code(
      static_cast<std::uint64_t>(std::llround(weight * static_cast<double>(kUnitWeight)))));
}

std::uint64_t weight_code(std::uint64_t millionths) noexcept {
  millionths = std::min(millionths, kMostMillionths);
  std::uint64_t exponent = 0;
  std::uint64_t power = 1;
  while (millionths / power >= kMantissas) {
    power *= 10;
    ++exponent;
  }
  std::uint64_t mantissa = (millionths + power / 2) / power;
  if (mantissa == kMantissas) {  // 99999.5 and more became six digits
    mantissa /= 10;
    ++exponent;
  }
  return exponent * kMantissas + mantissa;
}

}  // namespace benzer
