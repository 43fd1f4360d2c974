// Tests what is counted of compared pairs, and which of them are kept as the nearest.
#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "benzer/similarity.h"

#include "base/test_random.h"
#include "verify/nearest_pairs.h"

namespace benzer {
namespace {

TEST(ScoreCounts, HasEachPairInOneBin) {
  ScoreCounts counts;
  ASSERT_EQ(counts.bins.size(), 50U);
  counts.add_similar(1, 0.5);
  counts.add_similar(0.58, 0.5);  // an edge, which as a double is a little below it
  counts.add_similar(0.999, 1);
  counts.add_below(0.579, 3);
  counts.add_below(0);
  EXPECT_EQ(counts.equal, 1U);
  EXPECT_EQ(counts.similar, 2U);
  EXPECT_EQ(counts.missed, 1);  // one pair was found with the probability 0.5
  EXPECT_EQ(counts.bins[29].similar, 1U);
  EXPECT_EQ(counts.bins[28].below, 3U);
  EXPECT_EQ(counts.bins[49].similar, 1U);
  EXPECT_EQ(counts.bins[0].below, 1U);
  for (const double strange : {-1e30, std::nan("")}) counts.add_below(strange);
  EXPECT_EQ(counts.bins[0].below, 3U);
  counts.add_below(1e30);
  EXPECT_EQ(counts.bins[49].below, 1U);
  for (const int bits : {64, 256}) {
    // Every bin has the same number of distances of hashes.
    ScoreCounts of_hashes(bits);
    for (int distance = 1; distance <= bits / 2; ++distance)
      of_hashes.add_below(static_cast<double>(bits - 2 * distance) / bits);
    for (const ScoreCounts::Bin& bin : of_hashes.bins)
      EXPECT_EQ(bin.below, static_cast<std::size_t>(bits) / 2 / of_hashes.bins.size());
  }
}

TEST(NearestPairs, AreThoseOfAllPairsInAnyOrder) {
  TestRandom random(5);
  std::vector<ScoredPair> pairs;
  for (std::uint32_t i = 0; i < 5000; ++i)
    pairs.push_back({i % 70, 70 + i, static_cast<double>(random.below(101)) / 100});
  for (const auto side : {NearestPairs::Side::kAbove, NearestPairs::Side::kBelow}) {
    std::vector<ScoredPair> expected = pairs;
    std::erase_if(expected, [](const ScoredPair& pair) { return pair.score == 1; });
    std::stable_sort(expected.begin(), expected.end());
    std::stable_sort(expected.begin(), expected.end(), [&](const auto& x, const auto& y) {
      return side == NearestPairs::Side::kAbove ? x.score < y.score : x.score > y.score;
    });
    expected.resize(2000);
    NearestPairs nearest(side), backwards(side);
    for (const ScoredPair& pair : pairs) nearest.add(pair);
    std::for_each(pairs.rbegin(), pairs.rend(), [&](const auto& pair) { backwards.add(pair); });
    EXPECT_EQ(nearest.finish(), expected);
    EXPECT_EQ(backwards.finish(), expected);
  }
}

}  // namespace
}  // namespace benzer
