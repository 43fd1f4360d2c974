// Tests comparisons by weights against a slow definition, and against copies: with whole weights,
// the weighted Jaccard similarity is that of sets in which each value occurs once for each unit.
#include <map>

#include <gtest/gtest.h>

#include "benzer/similarity.h"

#include "base/test_random.h"
#include "base/weight.h"

namespace benzer {
namespace {

using WeightedSet = std::map<std::uint64_t, std::uint64_t>;  // weights in millionths, by value

constexpr Weighting kWeights = Weighting::kWeights;
constexpr const char* kThresholds[] = {"0.1", "0.3", "0.5", "0.75", "0.8", "0.95", "1"};

std::uint64_t feature_of(std::uint64_t value) { return splitmix64(value) & ~kWeightBits; }

FeatureSet features_of(const WeightedSet& set) {
  std::vector<std::uint64_t> features;
  for (const auto& [value, weight] : set)
    features.push_back(with_weight(feature_of(value), weight));
  return FeatureSet(features);
}

Overlap slow_overlap(const WeightedSet& a, const WeightedSet& b) {
  WeightedSet smaller, larger = a;
  for (const auto& [value, weight] : b) {
    larger[value] = std::max(larger[value], weight);
    if (a.contains(value)) smaller[value] = std::min(a.at(value), weight);
  }
  Overlap out;
  for (const auto& [value, weight] : smaller) out.intersection += weight;
  for (const auto& [value, weight] : larger) out.set_union += weight;
  return out;
}

// Sets around a few centres. whole: the weights are whole units from 1 to 4; else they have any
// size, and one value in ten outweighs all others together.
std::vector<WeightedSet> clustered(std::uint64_t seed, std::size_t count, bool whole) {
  TestRandom random(seed);
  const auto weight = [&](std::uint64_t value) -> std::uint64_t {
    if (whole) return (1 + random.below(4)) * kUnitWeight;
    const std::uint64_t usual = 10'000 + splitmix64(value) % 9'000;
    return random.below(4) == 0 ? 1 + random.below(20'000) : value % 10 == 0 ? 1000 * usual : usual;
  };
  std::vector<WeightedSet> sets;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0 && random.below(3) == 0) {  // a near-copy
      sets.push_back(sets[random.below(i)]);
      if (random.below(2) == 0 && !sets.back().empty()) {
        auto& [value, changed] = *sets.back().begin();
        changed = weight_of_code(weight_code(weight(value)));
      }
      continue;
    }
    const std::uint64_t centre = random.below(5) * 1000;
    const std::size_t size = random.below(40);
    WeightedSet set;
    for (std::size_t j = 0; j < size; ++j) {
      const std::uint64_t value = random.below(10) == 0 ? random.next() : centre + j;
      set[value] = weight_of_code(weight_code(weight(value)));
    }
    sets.push_back(std::move(set));
  }
  return sets;
}

std::vector<FeatureSet> all_features_of(const std::vector<WeightedSet>& sets) {
  std::vector<FeatureSet> out;
  for (const WeightedSet& set : sets) out.push_back(features_of(set));
  return out;
}

TEST(WeightedOverlap, CountsSmallExamples) {
  const WeightedSet a = {{1, 2'500'000}, {2, 1'000'000}, {3, 500'000}};
  const WeightedSet b = {{1, 2'500'000}, {2, 250'000}, {4, 250'000}};
  EXPECT_EQ(overlap(features_of(a), features_of(b), kWeights), (Overlap{2'750'000, 4'250'000}));
  EXPECT_EQ(overlap(features_of(a), features_of(a), kWeights).jaccard(), 1);
  EXPECT_EQ(overlap(features_of({}), features_of(a), kWeights), (Overlap{0, 4'000'000}));
  EXPECT_EQ(overlap(features_of({}), features_of({}), kWeights).jaccard(), 0);
  EXPECT_EQ(size_of(features_of(a).features(), kWeights), 4'000'000U);
  EXPECT_EQ(size_of(features_of(a).features(), Weighting::kNone), 3U);
}

// 0.7 of 0.875 is 0.8 exactly, which a sum of binary fractions would miss.
TEST(WeightedOverlap, IsExactAtTheThreshold) {
  const WeightedSet a = {{1, millionths_of(0.7)}}, b = {{1, millionths_of(0.875)}};
  const WeightedSet less = {{1, millionths_of(0.69999)}};
  OverlapCounter counter(kWeights);
  counter.load(features_of(b).features());
  EXPECT_TRUE(counter.compare(features_of(a).features(), Threshold::parse("0.8")));
  EXPECT_FALSE(counter.compare(features_of(less).features(), Threshold::parse("0.8")));
}

TEST(WeightedOverlap, AgreesWithTheSlowDefinition) {
  const std::vector<WeightedSet> sets = clustered(1, 120, false);
  for (const WeightedSet& a : sets) {
    OverlapCounter counter(kWeights);
    counter.load(features_of(a).features());
    for (const WeightedSet& b : sets) {
      const FeatureSet other = features_of(b);
      const Overlap expected = slow_overlap(a, b);
      ASSERT_EQ(counter.compare(other.features()), expected);
      for (const char* text : kThresholds) {
        const Threshold threshold = Threshold::parse(text);
        const auto found = counter.compare(other.features(), threshold);
        ASSERT_EQ(found.has_value(), threshold.reached(expected.intersection, expected.set_union));
        ASSERT_TRUE(!found || *found == expected);
      }
    }
    for (const auto& [value, weight] : a) EXPECT_TRUE(counter.contains(feature_of(value) | 77));
    EXPECT_FALSE(counter.contains(feature_of(123'456'789)));
  }
}

TEST(WeightedJoin, FindsThePairsOfTheSlowDefinition) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const std::vector<WeightedSet> sets = clustered(seed, 250, seed == 2);
    const std::vector<FeatureSet> features = all_features_of(sets);
    for (const char* text : kThresholds) {
      const Threshold threshold = Threshold::parse(text);
      std::vector<SimilarSets> expected;
      for (std::uint32_t a = 0; a < sets.size(); ++a)
        for (std::uint32_t b = a + 1; b < sets.size(); ++b)
          if (const Overlap common = slow_overlap(sets[a], sets[b]);
              threshold.reached(common.intersection, common.set_union))
            expected.push_back({a, b, common});
      EXPECT_GT(expected.size(), 5U) << text;
      EXPECT_EQ(BruteForce(features, kWeights).pairs(threshold), expected) << text;
      for (const int threads : {1, 3})
        EXPECT_EQ(exact_join(features, threshold, threads, nullptr, kWeights), expected) << text;
    }
  }
}

TEST(WeightedJoin, IsTheJoinOfCopiesForWholeWeights) {
  const std::vector<WeightedSet> sets = clustered(7, 200, true);
  std::vector<FeatureSet> copies;
  for (const WeightedSet& set : sets) {
    std::vector<std::uint64_t> features;
    for (const auto& [value, weight] : set)
      for (std::uint64_t i = 0; i < weight / kUnitWeight; ++i)
        features.push_back(splitmix64(value) + i);
    copies.emplace_back(features);
  }
  for (const char* text : kThresholds) {
    const Threshold threshold = Threshold::parse(text);
    std::vector<SimilarSets> expected = exact_join(copies, threshold, 1);
    for (SimilarSets& pair : expected) {
      pair.overlap.intersection *= kUnitWeight;
      pair.overlap.set_union *= kUnitWeight;
    }
    EXPECT_EQ(exact_join(all_features_of(sets), threshold, 1, nullptr, kWeights), expected) << text;
  }
}

}  // namespace
}  // namespace benzer
