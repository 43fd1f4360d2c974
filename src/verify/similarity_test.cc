#include "benzer/similarity.h"

#include <set>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/test_random.h"

namespace benzer {
namespace {

FeatureSet set_of(std::initializer_list<std::uint64_t> features) {
  return FeatureSet(std::vector<std::uint64_t>(features));
}

TEST(Overlap, CountsTheExamplesOfThe2014Blog) {
  EXPECT_DOUBLE_EQ(overlap(set_of({1, 2, 3, 4, 5}), set_of({1, 2, 6, 7})).jaccard(), 2.0 / 7);
  EXPECT_EQ(overlap(set_of({1, 2}), set_of({2, 1})).jaccard(), 1);
  EXPECT_EQ(overlap(set_of({1, 2}), set_of({3})).jaccard(), 0);
  EXPECT_EQ(overlap(set_of({}), set_of({})).jaccard(), 0);  // empty sets are similar to nothing
  EXPECT_EQ(overlap(set_of({0}), set_of({0, 1})).jaccard(), 0.5);  // 0 is a feature like any other
}

// Small numbers, so that sets overlap and the hash table has many collisions.
TEST(Overlap, AgreesWithSetsOfTheStandardLibrary) {
  rc::check([](const std::vector<std::uint8_t>& x, const std::vector<std::uint8_t>& y) {
    const std::vector<std::uint64_t> a(x.begin(), x.end()), b(y.begin(), y.end());
    const std::set<std::uint64_t> set_a(a.begin(), a.end()), set_b(b.begin(), b.end());
    std::uint64_t common = 0;
    for (const auto feature : set_a) common += set_b.count(feature);
    const Overlap expected{common, set_a.size() + set_b.size() - common};
    RC_ASSERT(overlap(FeatureSet(a), FeatureSet(b)) == expected);

    OverlapCounter counter;
    counter.load(FeatureSet(a).features());
    for (const char* text : {"0.2", "0.5", "0.8", "1"}) {
      const Threshold threshold = Threshold::parse(text);
      const auto found = counter.compare(FeatureSet(b).features(), threshold);
      RC_ASSERT(found.has_value() == threshold.reached(expected.intersection, expected.set_union));
      if (found) RC_ASSERT(*found == expected);
    }
  });
}

// Returns sets drawn around a few centres, among which pairs of every similarity occur.
std::vector<FeatureSet> clustered_sets(std::uint64_t seed, std::size_t count) {
  TestRandom random(seed);
  std::vector<FeatureSet> sets;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t centre = random.below(5) * 1000;
    const std::size_t size = random.below(40);
    std::vector<std::uint64_t> features;
    for (std::size_t j = 0; j < size; ++j)
      features.push_back(random.below(10) == 0 ? random.next() : centre + j);
    sets.emplace_back(features);
  }
  return sets;
}

TEST(ExactJoin, EqualsBruteForce) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto sets = clustered_sets(seed, 150);
    for (const char* text : {"0.05", "0.3", "0.5", "0.8", "0.95", "1"}) {
      const Threshold threshold = Threshold::parse(text);
      const auto expected = BruteForce(sets).pairs(threshold);
      EXPECT_EQ(exact_join(sets, threshold, 1), expected) << "seed " << seed << " at " << text;
      EXPECT_EQ(exact_join(sets, threshold, 3), expected) << "seed " << seed << " at " << text;
    }
  }
}

TEST(ExactJoin, TakesCollectionsOfNothing) {
  const Threshold threshold = Threshold::parse("0.5");
  EXPECT_TRUE(exact_join({}, threshold, 2).empty());
  EXPECT_TRUE(exact_join({FeatureSet(), FeatureSet()}, threshold, 2).empty());
}

}  // namespace
}  // namespace benzer
