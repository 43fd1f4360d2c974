#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "benzer/banding.h"
#include "benzer/error.h"

namespace benzer {
namespace {

TEST(Planner, ChoosesTheLargestRowsThatFit) {
  struct Case {
    double threshold, recall;
    int slots;
    Banding expected;
  };
  const Case cases[] = {
      {0.8, 0.99, 128, {16, 6}},  {0.5, 0.99, 128, {35, 3}},  {0.3, 0.99, 128, {49, 2}},
      {0.7, 0.99, 128, {17, 4}},  {0.8, 0.99, 256, {26, 8}},  {0.9, 0.99, 128, {11, 10}},
      {1.0, 0.99, 128, {1, 128}}, {0.8, 0.999, 128, {18, 5}}, {0.8, 0.5, 1, {1, 1}},
  };
  for (const Case& c : cases) {
    const Plan chosen = plan({c.threshold, c.recall, c.slots});
    EXPECT_EQ(chosen.banding.str(), c.expected.str()) << c.threshold << " " << c.slots;
    EXPECT_GE(chosen.recall_at_threshold, c.recall);
    EXPECT_LE(chosen.banding.slots(), c.slots);
  }
}

TEST(Planner, ChoosesTheLowestRateOfKeys) {
  for (const double recall : {0.5, 0.9, 0.99, 0.9999})
    for (const std::uint64_t shared : {1, 7, 16, 800}) {
      const KeySampling keys = plan_keys(shared, recall);
      if (keys.thousandths < 1000) {
        EXPECT_GE(1 - std::pow(1 - keys.rate(), shared), recall);
      }
      KeySampling lower = keys;
      --lower.thousandths;
      EXPECT_TRUE(lower.thousandths == 0 || lower.found_probability(shared, lower.least) < recall);
    }
  EXPECT_EQ(plan_keys(16, 0.99).str(), "0.251/20");
  EXPECT_EQ(plan_keys(1, 0.9999).str(), "1/20");
  EXPECT_THROW(plan_keys(16, 1), Error);
}

// The bound on common keys against the exact tail of the binomial distribution.
TEST(Planner, AsksForCommonKeysThatAreRarelyMissing) {
  for (const std::uint32_t thousandths : {10, 251, 700})
    for (const double recall : {0.9, 0.99, 0.9999})
      for (const std::uint64_t shared : {1, 16, 100, 1000, 4000}) {
        const KeySampling keys{thousandths, 20};
        const std::uint64_t least = keys.least_common_keys(shared, recall);
        ASSERT_GE(least, 1U);
        double below = 0;
        const auto n = static_cast<double>(shared);
        for (std::uint64_t i = 0; i < least; ++i) {
          const auto k = static_cast<double>(i);
          below += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) +
                            k * std::log(keys.rate()) + (n - k) * std::log1p(-keys.rate()));
        }
        if (least > 1) {
          EXPECT_LE(below, 1 - recall) << thousandths << " " << shared;
        }
      }
  // Worth having: a text of 1,000 words at 0.8 must share more than 100 keys.
  EXPECT_GT((KeySampling{251, 20}).least_common_keys(800, 0.99), 100U);
}

// Checks plans against the definition: no banding with more rows reaches the recall within the
// slots, and neither does one band less with the same rows.
TEST(Planner, MatchesItsDefinitionEverywhere) {
  for (int percent = 5; percent <= 100; percent += 5) {
    for (const double recall : {0.5, 0.9, 0.99, 0.999}) {
      for (const int slots : {1, 16, 64, 100, 128, 333}) {
        const double threshold = percent / 100.0;
        Banding best{0, 0};
        for (int rows = 1; rows <= slots; ++rows) {
          for (int bands = 1; bands * rows <= slots; ++bands) {
            if (Banding{bands, rows}.candidate_probability(threshold) >=
                recall + (1 - recall) / 100) {
              best = {bands, rows};
              break;
            }
          }
        }
        if (best.rows == 0) {
          EXPECT_THROW(plan({threshold, recall, slots}), Error);
        } else {
          const Plan chosen = plan({threshold, recall, slots});
          EXPECT_EQ(chosen.banding.str(), best.str()) << threshold << " " << recall << " " << slots;
          EXPECT_GE(chosen.recall_at_threshold, recall);
          EXPECT_LE(chosen.recall_at_threshold, best.candidate_probability(threshold));
        }
      }
    }
  }
}

TEST(Planner, KnowsTheRulesOfOthers) {
  const auto others = rules_of_others({0.8, 0.99, 128});
  ASSERT_EQ(others.size(), 3u);
  EXPECT_EQ(others[0].banding, (Banding{9, 13}));
  EXPECT_NEAR(others[0].recall_at_threshold, 0.40, 0.005);
  EXPECT_EQ(others[1].banding, (Banding{12, 10}));
  EXPECT_NEAR(others[1].recall_at_threshold, 0.74, 0.01);
  EXPECT_EQ(others[2].banding, (Banding{14, 8}));
  EXPECT_NEAR(others[2].recall_at_threshold, 0.92, 0.005);

  // pickBands as printed in the blog, for 100 hashes.
  const double thresholds[] = {.5, .6, .7, .8, .9, .95, .99};
  const int bands[] = {23, 18, 14, 10, 6, 4, 2};
  for (std::size_t i = 0; i < std::size(bands); ++i)
    EXPECT_EQ(rules_of_others({thresholds[i], 0.99, 100})[1].banding.bands, bands[i]);
}

TEST(Planner, RefusesWhatCannotBe) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const PlanRequest& request :
       {PlanRequest{0, .99, 128}, PlanRequest{1.5, .99, 128}, PlanRequest{nan, .99, 128},
        PlanRequest{.8, 0, 128}, PlanRequest{.8, 1, 128}, PlanRequest{.8, nan, 128},
        PlanRequest{.8, .99, 0}, PlanRequest{.8, .99, 5000}, PlanRequest{.01, .99, 128}})
    EXPECT_THROW(plan(request), Error);
  try {
    plan({0.01, .99, 128});
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("slots=460"), std::string::npos) << error.what();
  }
}

TEST(Planner, AlternativesFitExactlyWhereTheyShould) {
  for (const Alternative& one : alternatives({0.8, 0.99, 128})) {
    EXPECT_EQ(one.fits, one.banding.slots() <= 128);
    EXPECT_GE(one.recall_at_threshold, 0.99);
  }
}

// Returns C(n, k).
long double choose(int n, int k) {
  long double ways = 1;
  for (int i = 0; i < k; ++i) ways = ways * (n - i) / (i + 1);
  return ways;
}

TEST(AnchorPlanner, FindsWhatIsWantedWithTheFewestAnchors) {
  EXPECT_EQ(plan_anchors(0.8, 0.99).anchors, 20);
  EXPECT_EQ(plan_anchors(0.8, 0.99).needed, 12);
  EXPECT_EQ(plan_anchors(1, 0.99), (AnchorPlan{8, 8, 1}));
  for (int percent = 10; percent <= 100; percent += 5) {
    const double threshold = percent / 100.0;
    for (const double recall : {0.5, 0.9, 0.99, 0.999}) {
      SCOPED_TRACE(testing::Message() << threshold << " " << recall);
      if (threshold < 0.15 && recall > 0.99) continue;
      const AnchorPlan plan = plan_anchors(threshold, recall);
      EXPECT_GE(plan.recall_at_threshold, recall);
      EXPECT_GE(plan.needed, 1);
      EXPECT_LE(plan.needed, plan.anchors);
      EXPECT_LE(plan.anchors, kMostAnchors);
      // One more would be too many.
      if (plan.needed < plan.anchors) {
        EXPECT_LT((AnchorPlan{plan.anchors, plan.needed + 1, 0}.candidate_probability(threshold)),
                  recall);
      }
      if (plan.anchors < kMostAnchors) {
        EXPECT_LE(plan.candidate_probability(threshold / 2), 1.0 / 16);
      }
      long double tail = 0;
      for (int i = plan.needed; i <= plan.anchors; ++i)
        tail += choose(plan.anchors, i) * std::pow(static_cast<long double>(threshold), i) *
                std::pow(1 - static_cast<long double>(threshold), plan.anchors - i);
      EXPECT_NEAR(plan.recall_at_threshold, static_cast<double>(tail), 1e-12);
    }
  }
}

// Anchors are drawn without replacement, so what a set really shares of them is hypergeometric. The
// plan must not promise more than that.
TEST(AnchorPlanner, PromisesNoMoreThanSetsOfAnySizeHave) {
  for (const double threshold : {0.3, 0.5, 0.7, 0.8, 0.9, 0.95}) {
    for (const double recall : {0.9, 0.99, 0.999}) {
      const AnchorPlan plan = plan_anchors(threshold, recall);
      for (const int size : {plan.anchors + 1, plan.anchors + 2, 40, 80, 100, 400}) {
        if (size <= plan.anchors) continue;
        const auto shared = static_cast<int>(std::ceil(threshold * size - 1e-9));
        long double tail = 0;
        for (int i = plan.needed; i <= std::min(plan.anchors, shared); ++i)
          tail += choose(shared, i) * choose(size - shared, plan.anchors - i);
        tail /= choose(size, plan.anchors);
        EXPECT_GE(static_cast<double>(tail), recall)
            << threshold << " " << recall << " of " << size;
      }
    }
  }
}

TEST(AnchorPlanner, RefusesWhatItCannotPlan) {
  EXPECT_THROW(plan_anchors(0, 0.99), Error);
  EXPECT_THROW(plan_anchors(1.1, 0.99), Error);
  EXPECT_THROW(plan_anchors(0.8, 1), Error);
  EXPECT_THROW(plan_anchors(0.8, 0), Error);
  EXPECT_THROW(plan_anchors(0.01, 0.99), Error);
}

}  // namespace
}  // namespace benzer
