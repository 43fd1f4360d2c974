#include "verify/signature_cut.h"

#include <array>
#include <cmath>

namespace benzer {
namespace {

constexpr int kMostSlots = 4096;

// log(n!) for all n at once: std::lgamma is slow, and not for several threads at a time.
double log_factorial(int n) {
  static const auto table = [] {
    std::array<double, kMostSlots + 1> sums{};
    for (int i = 1; i <= kMostSlots; ++i) sums[i] = sums[i - 1] + std::log(i);
    return sums;
  }();
  return table[n];
}

// That exactly so many slots agree, of which each does with a probability below 1.
double binomial(int equal, double agreement, int slots) {
  return std::exp(log_factorial(slots) - log_factorial(equal) - log_factorial(slots - equal) +
                  equal * std::log(agreement) + (slots - equal) * std::log1p(-agreement));
}

}  // namespace

SignatureCut signature_cut(double threshold, int slots, double allowed_loss) {
  // Adds up the probabilities of 0, 1, 2, ... agreeing slots for as long as the sum is allowed.
  if (threshold >= 1) return {slots, 0};
  double sum = 0;
  for (int equal = 0; equal < slots; ++equal) {
    const double next = sum + binomial(equal, threshold, slots);
    if (next > allowed_loss) return {equal, sum};
    sum = next;
  }
  return {slots, sum};
}

double pass_probability(int least_equal, double agreement, int slots) {
  if (agreement >= 1) return 1;
  double fewer = 0;
  for (int equal = 0; equal < least_equal; ++equal) fewer += binomial(equal, agreement, slots);
  return fewer < 1 ? 1 - fewer : 0;
}

double allowed_loss(double recall) noexcept { return (1 - recall) / 100; }

}  // namespace benzer
