// Tests the set-up of the report with different random numbers in every run; the seed is printed
// with a failure.
#include "research/experiments/report_pairs.h"

#include <cmath>

#include <gtest/gtest.h>

#include "base/random_seed.h"
#include "base/sanitized.h"

namespace benzer::experiments {
namespace {

class ReportPairs : public testing::Test {
 protected:
  ExperimentOptions options() const {
    ExperimentOptions out;
    out.seed = seed_;
    return out;
  }
  const std::uint64_t seed_ = random_seed();
  testing::ScopedTrace trace_{__FILE__, __LINE__, "seed " + std::to_string(seed_)};
};

// The mean of T estimates by k functions is that of T k coin flips with probability J, so by
// Hoeffding's inequality P(|mean - J| >= d) <= 2 exp(-2 T k d^2) whatever J is. d = sqrt(ln(2e10) /
// (2 T k)) gives 1e-10. The inequality also holds for bottom-k, which draws k of U without repeats
// (Hoeffding 1963, section 6), and for linear functions on random elements.
double hoeffding(std::size_t coins) {
  return std::sqrt(std::log(2e10) / (2 * static_cast<double>(coins)));
}

TEST_F(ReportPairs, ManyFunctionsEstimateTheJaccardSimilarityAndNotS) {
  const std::size_t pairs = kSanitized ? 60 : 400;
  for (const double s : {0.2, 0.5, 0.9}) {
    const PairRuns runs(options(), 100, s, pairs, pairs);
    const std::size_t last = runs.hash_counts().size() - 1;
    const double bound = hoeffding(pairs * 100);
    EXPECT_NEAR(runs.errors(Method::kMany, last, runs.jaccard()).bias(), 0, bound) << s;
    EXPECT_NEAR(runs.errors(Method::kMany, last, runs.s()).bias(), -s * (1 - s) / (2 - s), bound)
        << s;
    EXPECT_NEAR(runs.errors(Method::kBottomK, last, runs.jaccard()).bias(), 0, bound) << s;
  }
}

TEST_F(ReportPairs, AsWrittenTheErrorIsExactlyNoneWhereAllHashesAreKept) {
  const PairRuns runs(options(), 150, 0.3, 40, 1);
  const std::size_t last = runs.hash_counts().size() - 1;
  ASSERT_EQ(runs.hash_counts()[last], 150u);
  EXPECT_EQ(runs.errors(Method::kSingle, last, runs.s()).rms(), 0);
  EXPECT_GT(runs.errors(Method::kSingle, last, runs.jaccard()).rms(), 0.1);
}

// The squares of T independent errors, divided by their variance v, add up to a chi-square of T
// degrees of freedom. Errors of k = 50 slots at J = 1/3 have a kurtosis of 3 + (1 - 6 J (1 - J)) /
// (50 J (1 - J)) < 3, so their squares vary less than those of normal errors. By Laurent and
// Massart 2000 the sum is above T + 2 sqrt(T x) + 2 x, or below T - 2 sqrt(T x), with a probability
// of at most exp(-x) each; x = ln(1e10) for each of the five bounds below.
TEST_F(ReportPairs, ErrorsAreThoseOfTheory) {
  const std::size_t pairs = kSanitized ? 200 : 1000;
  const PairRuns runs(options(), 200, 0.5, pairs, pairs);
  const double j = runs.jaccard(), u = static_cast<double>(runs.union_size());
  const std::size_t fifty = runs.step_of(50);
  ASSERT_EQ(runs.hash_counts()[fifty], 50u);
  const double variance = j * (1 - j) / 50;
  const double x = std::log(1e10) / static_cast<double>(pairs);
  const double least = 1 - 2 * std::sqrt(x), most = 1 + 2 * std::sqrt(x) + 2 * x;
  const auto ratio = [&](Method method, double expected) {
    const double rms = runs.errors(method, fifty, j).rms();
    return rms * rms / expected;
  };
  const double many = ratio(Method::kMany, variance);
  const double bottom_k = ratio(Method::kBottomK, variance * (u - 50) / (u - 1));
  EXPECT_TRUE(many > least && many < most) << many;
  EXPECT_TRUE(bottom_k > least && bottom_k < most) << bottom_k;
  EXPECT_LT(ratio(Method::kFss, variance), most);
}

TEST_F(ReportPairs, ThreadsDoNotChangeTheFigures) {
  ExperimentOptions one = options(), three = options();
  three.threads = 3;
  const PairRuns a(one, 60, 0.5, 12, 12), b(three, 60, 0.5, 12, 12);
  for (std::size_t step = 0; step < a.hash_counts().size(); ++step)
    for (const Method method : {Method::kMany, Method::kSingle, Method::kBottomK, Method::kFss})
      EXPECT_EQ(a.errors(method, step, 0.5).rms(), b.errors(method, step, 0.5).rms());
}

}  // namespace
}  // namespace benzer::experiments
