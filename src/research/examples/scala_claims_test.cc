// Tests what the claims of the blog on Scala are judged by.
#include "research/examples/scala_claims.h"

#include <cmath>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benzer/research/experiments.h"

namespace benzer::experiments::scala_claims {
namespace {

using testing::HasSubstr;

TEST(ScalaClaims, TrendsAreOfWholeLists) {
  EXPECT_EQ(trend({1, 2, 3}), Trend::kRises);
  EXPECT_EQ(trend({3, 2, 2}), Trend::kFalls);
  EXPECT_EQ(trend({1, 3, 2}), Trend::kNeither);
  EXPECT_EQ(trend({2, 2}), Trend::kNeither);
}

// Compares with all numbers of rows and bands, and the probabilities as they are defined.
TEST(ScalaClaims, FewestHashesAreFewest) {
  for (const double t : {0.6, 0.8, 0.9}) {
    const double below = t - 0.3;
    double fewest = INFINITY;
    for (int rows = 1; rows <= 12; ++rows) {
      for (int bands = 1; bands * rows < fewest && bands <= 4000; ++bands) {
        const double at = 1 - std::pow(1 - std::pow(t, rows), bands);
        const double under = 1 - std::pow(1 - std::pow(below, rows), bands);
        if (at >= 0.99 && under <= 0.05) fewest = bands * rows;
      }
    }
    EXPECT_EQ(fewest_hashes(t, below, 0.99, 0.05).hashes(), fewest) << t;
  }
}

TEST(ScalaClaims, AreJudgedBySeed) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    ExperimentOptions options;
    options.seed = seed;
    const ExperimentResult result = run_experiment("scala-claims", options);
    EXPECT_THAT(result.findings[0], HasSubstr("depends on what is asked"));
    EXPECT_THAT(result.findings[1], HasSubstr("holds for large parts only"));
    EXPECT_THAT(result.findings[2], HasSubstr("What is found is what the Jaccard"));
  }
}

}  // namespace
}  // namespace benzer::experiments::scala_claims
