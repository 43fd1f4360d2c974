#include "dedup/below_sample.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "base/test_random.h"

namespace benzer {
namespace {

// Makes sets in reverse order of their documents: set 0 is the last document.
DistinctSets numbered_sets(std::uint32_t count) {
  DistinctSets out;
  for (std::uint32_t i = 0; i < count; ++i) out.document.push_back(count - 1 - i);
  return out;
}

double made_score(SetNumber a, SetNumber b) { return (a * 7919 + b) % 1000 / 1250.0; }

std::vector<ScoredPair> all_pairs(std::uint32_t count) {
  std::vector<ScoredPair> out;
  for (SetNumber b = 0; b < count; ++b)
    for (SetNumber a = 0; a < b; ++a) out.push_back({a, b, made_score(a, b)});
  return out;
}

void expect_same_sample(const PairsBelow& x, const PairsBelow& y) {
  EXPECT_EQ(x.sample, y.sample);
  EXPECT_EQ(x.nearest, y.nearest);
  EXPECT_EQ(x.one_of, y.one_of);
}

TEST(BelowSample, HasAllOfAFewPairs) {
  const DistinctSets three = numbered_sets(3);
  BelowSample sample(three);
  for (int repeat = 0; repeat < 2; ++repeat) {
    sample.add({0, 1, 0.5});
    sample.add({0, 2, 0.25});
    sample.add({1, 2, 0.5});
  }
  const PairsBelow below = sample.finish();
  const std::vector<ScoredPair> by_documents = {{0, 1, 0.5}, {0, 2, 0.25}, {1, 2, 0.5}};
  EXPECT_EQ(below.sample, by_documents);
  EXPECT_EQ(below.nearest,
            (std::vector<ScoredPair>{by_documents[0], by_documents[2], by_documents[1]}));
  EXPECT_EQ(below.one_of, 1U);
  EXPECT_EQ(below.pairs(), 3U);
  EXPECT_TRUE(below.is_complete);
}

TEST(BelowSample, IsTheSameInAnyOrderAndWithRepeats) {
  constexpr std::uint32_t kSets = 1200;  // 719,400 pairs
  const DistinctSets many = numbered_sets(kSets);
  std::vector<ScoredPair> pairs = all_pairs(kSets);
  BelowSample in_order(many), shuffled(many);
  for (const ScoredPair& pair : pairs) in_order.add(pair);
  TestRandom random(1);
  for (std::size_t i = pairs.size(); i > 1; --i) std::swap(pairs[i - 1], pairs[random.below(i)]);
  for (const ScoredPair& pair : pairs) {
    shuffled.add(pair);
    if (random.below(3) == 0) shuffled.add(pairs[random.below(pairs.size())]);
  }
  const PairsBelow below = in_order.finish();
  expect_same_sample(shuffled.finish(), below);

  EXPECT_EQ(below.one_of, 4U);
  EXPECT_NEAR(static_cast<double>(below.pairs()), static_cast<double>(pairs.size()), 8000);
  std::sort(pairs.begin(), pairs.end(),
            [](const ScoredPair& x, const ScoredPair& y) { return x.score > y.score; });
  ASSERT_EQ(below.nearest.size(), 2000U);
  for (std::size_t i = 0; i < below.nearest.size(); ++i)
    EXPECT_EQ(below.nearest[i].score, pairs[i].score);
}

}  // namespace
}  // namespace benzer
