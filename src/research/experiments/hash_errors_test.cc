// Tests hash families and sketches against theory, with different random numbers in every run; the
// seed is printed with a failure.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "base/sanitized.h"
#include "research/experiments/hash_bias.h"
#include "research/experiments/sketches.h"

namespace benzer::experiments {
namespace {

ExperimentOptions fresh_options() {
  std::random_device device;
  ExperimentOptions out;
  out.seed = (std::uint64_t{device()} << 32) | device();
  return out;
}

// Two sets of 100 consecutive ids that share 50: J = 1/3.
const Layout kOverlapping = {{{0, 50}}, {{100, 150}}, {{50, 100}}};

// Given the ids, the 1,024 functions of a trial are independent coin flips, so by Hoeffding's
// inequality P(|mean - J| >= d) <= 2 exp(-2 T 1024 d^2). If mixed, the ids are random and the same
// for all functions of a trial, which adds the variance of the mix. Trials are independent and
// their means in [0, 1]; measured on the families that variance is below 0.001 / T. So the bound is
// d for 1e-10 and, if mixed, 6.7 deviations of sqrt(0.001 / T) more.
double bound(std::size_t trials, bool mixed) {
  const auto t = static_cast<double>(trials);
  return std::sqrt(std::log(2e10) / (2 * t * 1024)) + (mixed ? 6.7 * std::sqrt(0.001 / t) : 0);
}

TEST(HashBias, LinearFunctionsAreBiasedOnNumbersInARowUntilTheyAreMixed) {
  const ExperimentOptions options = fresh_options();
  const std::size_t trials = kSanitized ? 20 : 60;
  for (const HashFamily family :
       {HashFamily::kLargePrime, HashFamily::kMultiplyShift, HashFamily::kJava}) {
    const auto plain = hash_errors(options, kOverlapping, family, false, trials).back();
    const auto mixed = hash_errors(options, kOverlapping, family, true, trials).back();
    // The bias of the unmixed families is about -0.05; chance can hide at most half of it.
    EXPECT_LT(plain.bias(), -0.045 + bound(trials, false))
        << "seed " << options.seed << ", family " << static_cast<int>(family);
    EXPECT_NEAR(mixed.bias(), 0, bound(trials, true))
        << "seed " << options.seed << ", family " << static_cast<int>(family);
  }
}

// In 30 cells the mean error is checked on two sides and the mean square on one: 90 checks with
// exp(-x) each, 1e-9 in total with x = ln(9e10).
//
// The mean error of T estimates by 128 slots or more is that of 128 T coin flips, of at most 2 /
// 128 each where one bit is compared. By Bernstein it is above sd sqrt(2 x / T) + 2 x / (3 T) (2 /
// 128) with a probability of at most exp(-x). The squares divided by their variance add up to a
// chi-square of T degrees of freedom, which is above T + 2 sqrt(T x) + 2 x with a probability of at
// most exp(-x) (Laurent and Massart 2000). The squares vary as those of normal errors except for
// the excess kurtosis, (1 - 6 p (1 - p)) / (128 p (1 - p)). It is below 0 where whole slots are
// compared, and at most 0.015 for bits, which are equal with p up to 0.85. The factor 1.02 allows
// for that.
TEST(Sketches, EveryOneIsUnbiasedAndHasTheErrorOfItsTheory) {
  const ExperimentOptions options = fresh_options();
  const std::size_t trials = kSanitized ? 100 : 600;
  const auto t = static_cast<double>(trials);
  const double x = std::log(9e10);
  const double most = 1.02 * (1 + 2 * std::sqrt(x / t) + 2 * x / t);
  const auto all = all_sketches();
  ASSERT_LE(all.size(), 10u);  // the 30 cells above: 10 sketches, 3 pairs of sets
  for (const auto& [n, wanted] :
       {std::pair{60u, 0.5}, std::pair{400u, 0.3}, std::pair{400u, 0.7}}) {
    const std::size_t shared = shared_for(n, wanted);
    const double j = static_cast<double>(shared) / static_cast<double>(2 * n - shared);
    const auto found = sketch_errors(options, all, n, shared, trials);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double theory = all[i].theory(j, 2 * n - shared);
      // Bottom-k of all elements has no error.
      const double mean =
          theory > 0 ? theory * std::sqrt(2 * x / t) + 4 * x / (3 * 128 * t) : 1e-12;
      EXPECT_NEAR(found[i].bias(), 0, mean)
          << all[i].name() << " n=" << n << " J=" << j << " seed " << options.seed;
      EXPECT_LT(found[i].rms() * found[i].rms(), theory * theory * most + 1e-12)
          << all[i].name() << " n=" << n << " J=" << j << " seed " << options.seed;
    }
  }
}

}  // namespace
}  // namespace benzer::experiments
