#include "benzer/similarity.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

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
  EXPECT_TRUE(rc::check([](const std::vector<std::uint8_t>& x, const std::vector<std::uint8_t>& y) {
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
      const bool is_similar = threshold.reached(expected.intersection, expected.set_union);
      RC_ASSERT(found.has_value() == is_similar);
      if (found) RC_ASSERT(*found == expected);
    }
  }));
}

// Looks at 64 features of which `shared` are also in the loaded set, in the orders in which the
// guess of what comes next is right, wrong, and right again after a gap.
TEST(Overlap, IsTheSameInAnyOrder) {
  TestRandom random(29);
  const Threshold half = Threshold::parse("0.5");
  for (std::uint64_t shared = 0; shared <= 64; ++shared) {
    std::vector<std::uint64_t> loaded = random.numbers(64);
    loaded[random.below(64)] = 0;
    std::vector<std::uint64_t> other(loaded.begin(), loaded.begin() + static_cast<int>(shared));
    for (const std::uint64_t stranger : random.numbers(64 - shared))
      other.insert(other.begin() + static_cast<int>(random.below(other.size() + 1)), stranger);
    const Overlap expected{shared, 128 - shared};
    OverlapCounter counter;
    counter.load(loaded);
    const auto check = [&](std::string_view order) {
      SCOPED_TRACE(testing::Message() << shared << " shared, " << order);
      EXPECT_EQ(counter.compare(other), expected);
      EXPECT_EQ(counter.compare(other, half).has_value(), half.reached(shared, 128 - shared));
    };
    check("in the order of the loaded set");
    std::rotate(other.begin(), other.begin() + 13, other.end());
    check("rotated");
    std::reverse(other.begin(), other.end());
    check("reversed");
    std::sort(other.begin(), other.end());
    check("sorted");
  }
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

// Returns sets of very different sizes, many of which are, but for a few features, parts of others.
std::vector<FeatureSet> nested_sets(std::uint64_t seed, std::size_t count) {
  TestRandom random(seed);
  const std::vector<std::uint64_t> pool = random.numbers(3000);
  std::vector<FeatureSet> sets;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t size = random.below(random.below(4) == 0 ? 1000 : 20);
    const std::size_t begin = random.below(pool.size() - size);
    std::vector<std::uint64_t> features;
    for (std::size_t j = 0; j < size; ++j)
      features.push_back(random.below(8) == 0 ? random.next() : pool[begin + j]);
    sets.emplace_back(features);
  }
  return sets;
}

// Returns the pairs of which the smaller set has a share of at least `percent` in the larger one.
std::vector<SimilarSets> contained_pairs(const std::vector<FeatureSet>& sets,
                                         std::uint64_t percent) {
  std::vector<SimilarSets> out;
  for (std::uint32_t a = 0; a < sets.size(); ++a) {
    const std::set<std::uint64_t> of_a(sets[a].features().begin(), sets[a].features().end());
    for (std::uint32_t b = a + 1; b < sets.size(); ++b) {
      std::uint64_t common = 0;
      for (const std::uint64_t feature : sets[b].features()) common += of_a.count(feature);
      const std::uint64_t smaller = std::min(sets[a].size(), sets[b].size());
      if (smaller > 0 && common * 100 >= percent * smaller)
        out.push_back({a, b, {common, smaller}});
    }
  }
  return out;
}

TEST(Containment, IsFoundByBruteForceAndByTheJoin) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const auto sets = nested_sets(seed, 200);
    for (const auto& [text, percent] :
         {std::pair{"0.05", 5U}, {"0.5", 50U}, {"0.8", 80U}, {"1", 100U}}) {
      SCOPED_TRACE(testing::Message() << seed << " at " << text);
      const Threshold threshold = Threshold::parse(text);
      const auto expected = contained_pairs(sets, percent);
      EXPECT_GT(expected.size(), 5U);
      const auto by = [&](int threads) {
        return exact_join(sets, threshold, threads, nullptr, Weighting::kNone,
                          Measure::kContainment);
      };
      EXPECT_EQ(BruteForce(sets, Weighting::kNone, Measure::kContainment).pairs(threshold),
                expected);
      EXPECT_EQ(by(1), expected);
      EXPECT_EQ(by(3), expected);
    }
  }
  EXPECT_TRUE(exact_join({FeatureSet(), set_of({1})}, Threshold::parse("0.5"), 1, nullptr,
                         Weighting::kNone, Measure::kContainment)
                  .empty());
}

TEST(Containment, IsDecidedExactlyOnTheLine) {
  for (const char* text : {"0.8", "0.7", "0.35", "1", "0.33333333333333333"}) {
    const Threshold threshold = Threshold::parse(text);
    for (std::uint64_t size = 1; size <= 60; ++size) {
      const std::uint64_t needed =
          threshold.needed_intersection(size, 1000 + size, Measure::kContainment);
      EXPECT_EQ(threshold.needed_intersection(5000, size, Measure::kContainment), needed);
      EXPECT_TRUE(threshold.reached(needed, size));
      EXPECT_FALSE(threshold.reached(needed - 1, size));
    }
  }
}

TEST(Containment, HasTwoShares) {
  EXPECT_EQ(shares_of(0.8, 5, 100), (Shares{0.8, 0.04}));
  EXPECT_EQ(shares_of(1, 7, 7), (Shares{1, 1}));
  EXPECT_EQ(shares_of(0, 0, 7), Shares());
  // All quotients that a set has give back the number of common features.
  constexpr std::uint32_t kLarge = 4294967291;
  for (const std::uint32_t shared : {1U, 2U, 4294967290U, 2863311527U})
    EXPECT_EQ(shares_of(static_cast<double>(shared) / kLarge, ~0U, kLarge).of_a,
              static_cast<double>(shared) / ~0U);
}

TEST(ExactJoin, TakesCollectionsOfNothing) {
  const Threshold threshold = Threshold::parse("0.5");
  EXPECT_TRUE(exact_join({}, threshold, 2).empty());
  EXPECT_TRUE(exact_join({FeatureSet(), FeatureSet()}, threshold, 2).empty());
}

}  // namespace
}  // namespace benzer
