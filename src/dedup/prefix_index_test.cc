#include "dedup/prefix_index.h"

#include <set>

#include <gtest/gtest.h>

#include "benzer/features.h"
#include "benzer/similarity.h"

#include "base/splitmix.h"
#include "base/test_random.h"

namespace benzer {
namespace {

using Features = std::vector<std::uint64_t>;

// Makes sets that have a part of a template, a part of a small pool, and some features of their
// own.
std::vector<Features> made_features(std::uint64_t seed, std::size_t count) {
  TestRandom random(seed);
  std::vector<Features> out;
  for (std::size_t i = 0; i < count; ++i) {
    Features set;
    const std::uint64_t of_template = random.below(60), own = random.below(30);
    for (std::uint64_t f = 0; f < 60; ++f)
      if (f < of_template || random.below(4) > 0) set.push_back(splitmix64(f));
    for (std::uint64_t f = 0; f < 20; ++f)
      if (random.below(3) == 0) set.push_back(splitmix64(100 + f));
    for (std::uint64_t f = 0; f < own; ++f) set.push_back(splitmix64(1000 + 100 * i + f));
    if (i % 5 == 1) {  // a near-copy of the last one
      set = out.back();
      for (std::uint64_t f = 0; f < 1 + random.below(8) && f < set.size(); ++f)
        set[f] = splitmix64(1000 + 100 * i + f);
    }
    out.push_back(std::move(set));
  }
  return out;
}

TEST(PrefixIndex, MissesNoSetThatContainsAnother) {
  for (const char* threshold_text : {"0.3", "0.5", "0.8", "1"}) {
    const Threshold threshold = Threshold::parse(threshold_text);
    const std::vector<Features> sets = made_features(2, 250);
    PrefixIndex index(threshold, 1 << 16, Measure::kContainment);
    for (const Features& set : sets) index.count(set, 0);
    std::size_t containing = 0, answered = 0;
    for (std::uint32_t i = 0; i < sets.size(); ++i) {
      std::vector<std::uint32_t> found;
      if (index.find(sets[i], 0, 1 << 20, found)) {
        ++answered;
        const std::set<std::uint32_t> different(found.begin(), found.end());
        EXPECT_EQ(different.size(), found.size());
        const FeatureSet own{std::span(sets[i])};
        for (std::uint32_t j = 0; j < i; ++j) {
          const Overlap common = overlap(own, FeatureSet{std::span(sets[j])});
          if (!threshold.reached(common.intersection, own.size())) continue;
          ++containing;
          EXPECT_TRUE(different.contains(j)) << threshold_text << " " << i << " " << j;
        }
      }
      index.add(sets[i], 0);
    }
    EXPECT_GT(containing, 2U);
    EXPECT_GT(answered, 100U);
  }
}

TEST(PrefixIndex, MissesNone) {
  for (const char* threshold_text : {"0.3", "0.5", "0.8", "0.95", "1"}) {
    const Threshold threshold = Threshold::parse(threshold_text);
    const std::vector<Features> sets = made_features(1, 400);
    PrefixIndex index(threshold, 10);
    for (const Features& set : sets) index.count(set, 0);
    std::size_t similar = 0;
    for (std::uint32_t i = 0; i < sets.size(); ++i) {
      std::vector<std::uint32_t> found;
      ASSERT_TRUE(index.find(sets[i], 0, 1 << 20, found));
      const std::set<std::uint32_t> different(found.begin(), found.end());
      EXPECT_EQ(different.size(), found.size());
      const FeatureSet own{std::span(sets[i])};
      for (std::uint32_t j = 0; j < i; ++j) {
        const Overlap common = overlap(own, FeatureSet{std::span(sets[j])});
        if (!threshold.reached(common.intersection, common.set_union)) continue;
        ++similar;
        EXPECT_TRUE(different.contains(j)) << threshold_text << " " << i << " " << j;
      }
      index.add(sets[i], 0);
    }
    if (threshold.value() < 1) {
      EXPECT_GT(similar, 10U) << threshold_text;
    }
  }
}

// Sets that are just below the threshold by their template alone: none is found for another one.
TEST(PrefixIndex, PagesOfATemplateDoNotMeet) {
  const Threshold threshold = Threshold::parse("0.8");
  std::vector<Features> sets;
  for (std::uint64_t i = 0; i < 600; ++i) {
    Features set;
    // 176 of 200 + i % 3: a pair has a similarity of at most 0.786.
    for (std::uint64_t f = 0; f < 176; ++f) set.push_back(splitmix64(f));
    for (std::uint64_t f = 176; f < 200 + i % 3; ++f) set.push_back(splitmix64(1000 * (i + 1) + f));
    sets.push_back(std::move(set));
  }
  PrefixIndex index(threshold, 600 * 200);
  for (const Features& set : sets) index.count(set, 0);
  std::vector<std::uint32_t> found;
  for (const Features& set : sets) {
    EXPECT_TRUE(index.find(set, 0, 100, found));
    index.add(set, 0);
  }
  EXPECT_EQ(found.size(), 0U);
  EXPECT_LT(index.bytes(), 600U * 60 * 8);
}

TEST(PrefixIndex, GroupsDoNotMeetAndTooManyEntriesAreTold) {
  const Threshold threshold = Threshold::parse("0.5");
  const Features set = {1 << 20, 2 << 20, 3 << 20};
  PrefixIndex index(threshold, 10);
  for (int i = 0; i < 300; ++i) index.count(set, i < 150 ? 7 : 8ULL << 40);
  for (int i = 0; i < 299; ++i) index.add(set, i < 150 ? 7 : 8ULL << 40);
  std::vector<std::uint32_t> found;
  EXPECT_TRUE(index.find(set, 7, 1000, found));
  ASSERT_EQ(found.size(), 150U);
  for (const std::uint32_t number : found) EXPECT_LT(number, 150U);
  EXPECT_FALSE(index.find(set, 7, 149, found));
  found.clear();
  EXPECT_TRUE(index.find({}, 7, 149, found));
  EXPECT_TRUE(found.empty());
}

}  // namespace
}  // namespace benzer
