#include <algorithm>
#include <unordered_set>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "benzer/features.h"

#include "base/test_random.h"
#include "features/unique_features.h"

namespace benzer {
namespace {

std::vector<std::uint64_t> unique(const std::vector<std::uint64_t>& features) {
  const FeatureSet set(features);
  EXPECT_EQ(set.size(), set.features().size());
  EXPECT_EQ(set.empty(), set.features().empty());
  return {set.features().begin(), set.features().end()};
}

TEST(FeatureSet, KeepsTheFirstOfEach) {
  using List = std::vector<std::uint64_t>;
  EXPECT_EQ(unique({}), List{});
  EXPECT_EQ(unique({5}), List{5});
  EXPECT_EQ(unique({0, 0, 0}), List{0});
  EXPECT_EQ(unique({3, 0, 3, 1, 0, 2, 1}), (List{3, 0, 1, 2}));
  EXPECT_EQ(unique({~0ULL, 1, ~0ULL}), (List{~0ULL, 1}));
}

TEST(FeatureSet, AgreesWithAnOrdinarySet) {
  EXPECT_TRUE(rc::check([](std::vector<std::uint64_t> features, std::uint64_t distinct) {
    for (std::uint64_t& feature : features) feature %= distinct % 50 + 1;
    std::vector<std::uint64_t> expected;
    std::unordered_set<std::uint64_t> seen;
    for (const std::uint64_t feature : features) {
      if (seen.insert(feature).second) expected.push_back(feature);
    }
    RC_ASSERT(unique(features) == expected);
  }));
}

TEST(FeatureSet, PieceByPiece) {
  TestRandom random(5);
  for (const std::size_t pieces : {0U, 1U, 2U, 30U}) {
    std::vector<std::uint64_t> all;
    internal::UniqueFeatures unique_features;
    for (std::size_t i = 0; i < pieces; ++i) {
      std::vector<std::uint64_t> piece = random.numbers(500);
      for (std::uint64_t& feature : piece) feature %= 2000;
      unique_features.add(piece);
      all.insert(all.end(), piece.begin(), piece.end());
    }
    const FeatureSet set = unique_features.take();
    EXPECT_EQ(std::vector(set.features().begin(), set.features().end()), unique(all));
    EXPECT_TRUE(unique_features.take().empty());
  }
}

TEST(FeatureSet, FewOfMillions) {
  std::vector<std::uint64_t> features(1'000'000, 7), expected{7, 0, 9};
  features.insert(features.end(), {0, 9, 7, 0});
  EXPECT_EQ(unique(features), expected);
}

// Around the sizes at which tables become larger.
TEST(FeatureSet, ManyFeatures) {
  for (const std::size_t size : {2047U, 2048U, 2049U, 65'535U, 65'536U, 100'000U}) {
    std::vector<std::uint64_t> features;
    for (std::uint64_t i = 0; i < size; ++i) features.push_back(i * i);
    std::vector<std::uint64_t> twice = features;
    twice.insert(twice.end(), features.begin(), features.end());
    EXPECT_EQ(unique(features), features);
    EXPECT_EQ(unique(twice), features);
  }
}

}  // namespace
}  // namespace benzer
