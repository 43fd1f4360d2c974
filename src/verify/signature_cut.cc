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

}  // namespace

SignatureCut signature_cut(double threshold, int slots, double allowed_loss) {
  // Adds up the probabilities of 0, 1, 2, ... agreeing slots for as long as the sum is allowed.
  if (threshold >= 1) return {slots, 0};
  double sum = 0;
  for (int equal = 0; equal < slots; ++equal) {
    const double log_probability = log_factorial(slots) - log_factorial(equal) -
                                   log_factorial(slots - equal) + equal * std::log(threshold) +
                                   (slots - equal) * std::log1p(-threshold);
    const double next = sum + std::exp(log_probability);
    if (next > allowed_loss) return {equal, sum};
    sum = next;
  }
  return {slots, sum};
}

double allowed_loss(double recall) noexcept { return (1 - recall) / 100; }

}  // namespace benzer
