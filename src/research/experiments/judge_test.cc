// Tests how claims become verdicts, and the tests of chance that findings rest on.
#include "research/experiments/judge.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random_seed.h"
#include "research/experiments/draws.h"
#include "research/experiments/errors.h"

namespace benzer::experiments {
namespace {

using enum ExperimentAnswer;

TEST(Verdict, IsYesNoOrPartlyByItsClaims) {
  const Claim holds{"A is so", true}, also{"B is so", true}, fails{"C is so", false},
      fails_too{"D is so", false}, open{"E is so", std::nullopt};
  const struct {
    std::vector<Claim> claims;
    ExperimentAnswer answer;
    std::string why;
  } cases[] = {
      {{holds}, kYes, "It holds that A is so."},
      {{holds, also}, kYes, "It holds that A is so and that B is so."},
      {{holds, also, fails},
       kPartly,
       "It holds that A is so and that B is so, but not that C is so."},
      {{holds, fails, fails_too},
       kPartly,
       "It holds that A is so, but not that C is so nor that D is so."},
      {{fails}, kNo, "It does not hold that C is so."},
      {{fails, fails_too}, kNo, "It does not hold that C is so and that D is so."},
      {{open}, kOpen, "This run cannot tell that E is so."},
      {{holds, open}, kYes, "It holds that A is so; this run cannot tell that E is so."},
  };
  for (const auto& [claims, answer, why] : cases) {
    const ExperimentVerdict verdict = verdict_of(claims);
    EXPECT_EQ(spelled(verdict.answer), spelled(answer));
    EXPECT_EQ(verdict.why, why);
  }
}

TEST(Verdict, IsAddedToAResult) {
  ExperimentResult result;
  result.findings = {"first"};
  add_judged(result, {{"second"}, {{"A is so", false}}});
  EXPECT_THAT(result.findings, testing::ElementsAre("first", "second"));
  EXPECT_EQ(result.verdict.answer, kNo);
}

// The probability by its definition: of all ways to choose the first groups, the share with a rank
// sum that is as large.
double by_all_choices(const std::vector<TwoGroups>& conditions) {
  std::vector<double> sums{0};  // of the conditions so far, of every choice
  double measured = 0;
  for (const TwoGroups& groups : conditions) {
    std::vector<double> all = groups.first;
    all.insert(all.end(), groups.second.begin(), groups.second.end());
    const auto rank = [&](double value) {
      double out = 0.5;
      for (const double other : all) out += other < value ? 1 : other == value ? 0.5 : 0;
      return out;
    };
    for (const double value : groups.first) measured += rank(value);
    std::vector<double> next;
    for (std::uint32_t chosen = 0; chosen < (1u << all.size()); ++chosen) {
      double sum = 0;
      std::size_t count = 0;
      for (std::size_t i = 0; i < all.size(); ++i) {
        if ((chosen >> i & 1) == 0) continue;
        sum += rank(all[i]);
        ++count;
      }
      if (count != groups.first.size()) continue;
      for (const double before : sums) next.push_back(before + sum);
    }
    sums = std::move(next);
  }
  const auto as_large =
      std::count_if(sums.begin(), sums.end(), [&](double sum) { return sum >= measured - 1e-9; });
  return static_cast<double>(as_large) / static_cast<double>(sums.size());
}

TEST(ChanceOfLarger, IsTheShareOfAllChoices) {
  const std::uint64_t seed = random_seed();
  SCOPED_TRACE(seed);
  Draws draws(seed);
  for (int trial = 0; trial < 60; ++trial) {
    std::vector<TwoGroups> conditions(1 + draws.below(2));
    for (TwoGroups& groups : conditions) {
      // Few different numbers, so that many are equal.
      for (std::size_t i = draws.below(5); i-- > 0;)
        groups.first.push_back(static_cast<double>(draws.below(6)));
      for (std::size_t i = draws.below(5); i-- > 0;)
        groups.second.push_back(static_cast<double>(draws.below(6)));
    }
    EXPECT_NEAR(chance_of_larger(conditions), by_all_choices(conditions), 1e-12) << trial;
  }
}

TEST(ChanceOfLarger, IsKnownForFiveAgainstFive) {
  const TwoGroups apart{{6, 7, 8, 9, 10}, {1, 2, 3, 4, 5}};
  EXPECT_NEAR(chance_of_larger(std::span(&apart, 1)), 1.0 / 252, 1e-15);
  const TwoGroups exchanged{apart.second, apart.first};
  EXPECT_NEAR(chance_of_larger(std::span(&exchanged, 1)), 1, 1e-12);
  const TwoGroups three[] = {apart, apart, apart};
  EXPECT_NEAR(chance_of_larger(three), std::pow(252.0, -3), 1e-18);
  // One large number counts as much as one that is a little larger.
  const TwoGroups outlier{{1, 2, 3, 4, 1e9}, {1, 2, 3, 4, 5}};
  const TwoGroups without{{1, 2, 3, 4, 6}, {1, 2, 3, 4, 5}};
  EXPECT_EQ(chance_of_larger(std::span(&outlier, 1)), chance_of_larger(std::span(&without, 1)));
}

// Groups of one skewed distribution are told apart with a probability of at most that of the test:
// of 4,000 trials more than 40 + 5 * sqrt(40) = 72 come below 0.01 once in 200,000 runs (Chernoff:
// exp(-40 (1.8 ln 1.8 - 0.8)) = 3e-5 at the most; the seed is fixed).
TEST(ChanceOfLarger, KeepsItsLevelOnSkewedNumbers) {
  Draws draws(20);
  int below = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    TwoGroups groups;
    for (auto* group : {&groups.first, &groups.second})
      for (int i = 0; i < 5; ++i)
        group->push_back(std::exp(4 * draws.unit() / (1.01 - draws.unit())));
    below += chance_of_larger(std::span(&groups, 1)) < 0.01 ? 1 : 0;
  }
  EXPECT_LE(below, 72);
  EXPECT_GE(below, 1);  // 1 / 252 of 4,000 are 16
}

TEST(AllowedByChance, IsTheBoundOfHoeffding) {
  const double allowed = allowed_by_chance(2000, 20);
  EXPECT_NEAR(20 * 2 * std::exp(-2 * 2000 * allowed * allowed), 0.001, 1e-12);
  EXPECT_LT(allowed_by_chance(4000, 20), allowed);
  EXPECT_GT(allowed_by_chance(2000, 40), allowed);
}

TEST(MeasuredErrors, AreUnbiasedWithinFiveStandardErrors) {
  EXPECT_TRUE((MeasuredError{.bias = -0.05, .standard_error = 0.01}).may_be_unbiased());
  EXPECT_FALSE((MeasuredError{.bias = -0.051, .standard_error = 0.01}).may_be_unbiased());
  EXPECT_TRUE((MeasuredError{.bias = -0.051, .standard_error = 0.01}).may_be_unbiased(0.002));
  ErrorSum sum;
  for (const double estimate : {0.4, 0.5, 0.6}) sum.add(estimate, 0.4);
  const MeasuredError measured = sum.measured();
  EXPECT_NEAR(measured.bias, 0.1, 1e-12);
  EXPECT_NEAR(measured.rms, std::sqrt((0.01 + 0.04) / 3), 1e-12);
  EXPECT_EQ(measured.count, 3);
  EXPECT_EQ(measured.standard_error, sum.standard_error());
}

}  // namespace
}  // namespace benzer::experiments
