#include "lsh/signature_cut.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace benzer {
namespace {

constexpr int kMostSlots = 4096;

// Returns log(n!), from a table: std::lgamma is slow, and not safe for several threads.
double log_factorial(int n) {
  static const auto table = [] {
    std::array<double, kMostSlots + 1> sums{};
    for (int i = 1; i <= kMostSlots; ++i) sums[i] = sums[i - 1] + std::log(i);
    return sums;
  }();
  return table[n];
}

// The probabilities that exactly 0, 1, 2, ... slots agree, if each does with the probability
// `agreement`, which must be below 1.
class Binomial {
 public:
  Binomial(double agreement, int slots)
      : slots_(slots), log_equal_(std::log(agreement)), log_other_(std::log1p(-agreement)) {}

  double operator()(int equal) const {
    return std::exp(log_factorial(slots_) - log_factorial(equal) - log_factorial(slots_ - equal) +
                    equal * log_equal_ + (slots_ - equal) * log_other_);
  }

 private:
  int slots_;
  double log_equal_, log_other_;
};

}  // namespace

SignatureCut signature_cut(double threshold, int slots, double allowed_loss) {
  // Adds up the probabilities of 0, 1, 2, ... agreeing slots while the sum is an allowed loss.
  if (threshold >= 1) return {slots, 0};
  const Binomial probability(threshold, slots);
  double sum = 0;
  for (int equal = 0; equal < slots; ++equal) {
    const double next = sum + probability(equal);
    if (next > allowed_loss) return {equal, sum};
    sum = next;
  }
  return {slots, sum};
}

double pass_probability(int least_equal, double agreement, int slots) {
  if (agreement >= 1) return 1;
  const Binomial probability(agreement, slots);
  double fewer = 0;
  for (int equal = 0; equal < least_equal; ++equal) fewer += probability(equal);
  return fewer < 1 ? 1 - fewer : 0;
}

double allowed_loss(double recall) noexcept { return (1 - recall) / 100; }

double recall_of(const PlanRequest& request, const Banding& banding) {
  const SignatureCut cut =
      signature_cut(request.threshold, request.slots, allowed_loss(request.recall));
  return std::max(0.0, banding.candidate_probability(request.threshold) - cut.loss);
}

}  // namespace benzer
