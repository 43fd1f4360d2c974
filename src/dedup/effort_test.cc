// Tests the bounds on the work in large buckets: the index of rare features does not change the
// result, and documents whose comparisons are cut after that are counted.
#include <set>
#include <utility>

#include <gtest/gtest.h>

#include "dedup/dedup_test_util.h"

namespace benzer {
namespace {

// Makes pages of two templates. Most have a similarity just below 0.8 by their template, others
// just above. Some are near-copies or equal copies of a page, or pages without words of their own.
std::vector<std::string> template_pages(std::uint64_t seed) {
  TestRandom random(seed);
  const std::string templates[] = {words(random, 100, 1000000), words(random, 100, 1000000)};
  std::vector<std::string> texts;
  for (int i = 0; i < 500; ++i) {
    const std::uint64_t kind = random.below(10);
    if (kind == 0 && !texts.empty()) {
      texts.push_back(texts[random.below(texts.size())]);
    } else if (kind == 1 && !texts.empty()) {
      texts.push_back(words(random, 1, 100) + texts[random.below(texts.size())] +
                      words(random, random.below(8), 1000000));
    } else if (kind == 2) {
      texts.push_back(words(random, random.below(14), 20) + templates[1] +
                      words(random, random.below(14), 20));
    } else {
      texts.push_back(templates[i % 2] + words(random, 8 + random.below(10), 1000000));
    }
  }
  return texts;
}

void expect_same(const DedupResult& result, const DedupResult& expected) {
  EXPECT_EQ(result.removed, expected.removed);
  EXPECT_EQ(result.links, expected.links);
  EXPECT_EQ(result.clusters, expected.clusters);
  EXPECT_EQ(result.counts.verified_pairs, expected.counts.verified_pairs);
  EXPECT_EQ(result.counts.cut_short, expected.counts.cut_short);
  std::vector<ScoredPair> similar, expected_similar;
  result.similar.for_each([&](const ScoredPair& pair) { similar.push_back(pair); });
  expected.similar.for_each([&](const ScoredPair& pair) { expected_similar.push_back(pair); });
  EXPECT_EQ(similar, expected_similar);
}

class EffortTest : public testing::TestWithParam<Clustering> {};

TEST_P(EffortTest, TheIndexChangesNothing) {
  for (const char* threshold : {"0.5", "0.8"}) {
    for (const char* keep : {"first", "longest"}) {
      const auto texts = template_pages(1);
      DedupOptions options;
      options.threshold = Threshold::parse(threshold);
      options.clustering = GetParam();
      options.keep = KeepOrder::parse(keep);
      options.collect = Collect::kCompared;
      const DedupResult expected = deduplicate_texts(texts, options);
      EXPECT_TRUE(expected.below.is_complete);
      EXPECT_GT(expected.removed.size(), 60U);
      // The index is used from the beginning, and from somewhere in between.
      for (const std::uint64_t by_signatures : {0, 300000}) {
        for (const int threads : {1, 3}) {
          SCOPED_TRACE(testing::Message() << threshold << keep << by_signatures << threads);
          options.effort.by_signatures = by_signatures;
          options.threads = threads;
          const DedupResult result = deduplicate_texts(texts, options);
          expect_same(result, expected);
          if (options.threshold == Threshold::parse("0.8")) {
            EXPECT_FALSE(result.below.is_complete);
            EXPECT_LT(result.below.sample.size(), expected.below.sample.size());
          }
          if (GetParam() == Clustering::kLeader) {
            EXPECT_EQ(result.counts.candidates, expected.counts.candidates);
          }
        }
      }
    }
  }
}

TEST_P(EffortTest, IsTheSameWithALimitOfMemory) {
  const auto texts = template_pages(2);
  DedupOptions options;
  options.clustering = GetParam();
  options.collect = Collect::kSimilar;
  const DedupResult expected = deduplicate_texts(texts, options);
  EXPECT_TRUE(expected.below.sample.empty());
  options.effort.by_signatures = 0;
  options.memory_limit = 1 << 24;
  expect_same(deduplicate_texts(texts, options), expected);
}

// Long pages that share so many features that the index has many entries for their rarest ones.
TEST_P(EffortTest, AnIndexThatDoesNotFitIsGivenUp) {
  TestRandom random(4);
  const std::string shared = words(random, 1900, 1000000);
  std::vector<std::string> texts;
  for (int i = 0; i < 80; ++i) texts.push_back(shared + words(random, 1100, 1000000));
  texts.push_back(texts[40] + words(random, 200, 1000000));
  texts.push_back(texts[70] + words(random, 200, 1000000));
  DedupOptions options;
  options.threshold = Threshold::parse("0.5");
  options.clustering = GetParam();
  const DedupResult expected = deduplicate_texts(texts, options);
  EXPECT_EQ(expected.removed.size(), 2U);
  options.effort.by_signatures = 0;
  options.memory_limit = 1 << 20;
  expect_same(deduplicate_texts(texts, options), expected);
}

TEST_P(EffortTest, WhatIsCutIsCountedAndWhatIsRemovedIsSimilar) {
  const auto texts = template_pages(3);
  const auto sets = sets_of(texts);
  DedupOptions options;
  options.clustering = GetParam();
  const DedupResult whole = deduplicate_texts(texts, options);
  EXPECT_EQ(whole.counts.cut_short, 0U);
  options.effort = {.by_signatures = 0, .whole = 0, .candidates = 2};
  options.threads = 1;
  const DedupResult cut = deduplicate_texts(texts, options);
  EXPECT_GT(cut.counts.cut_short, 0U);
  EXPECT_LT(cut.counts.cut_short, texts.size());
  std::set<std::uint32_t> removed;
  for (const Removal& removal : cut.removed) removed.insert(removal.document);
  for (const Removal& removal : cut.removed) {
    EXPECT_FALSE(removed.contains(*removal.keeper));
    const Overlap common = overlap(sets[removal.document], sets[*removal.keeper]);
    EXPECT_EQ(removal.score, common.jaccard());
    if (GetParam() == Clustering::kLeader) {
      EXPECT_TRUE(options.threshold.reached(common.intersection, common.set_union));
    }
  }
  options.threads = 4;
  expect_same(deduplicate_texts(texts, options), cut);
}

TEST(ComponentsEffort, WhatIsConnectedDecidesNothing) {
  const auto texts = template_pages(5);
  DedupOptions options;
  options.clustering = Clustering::kComponents;
  const DedupResult whole = deduplicate_texts(texts, options);
  options.effort.connected = 0;
  const DedupResult quick = deduplicate_texts(texts, options);
  EXPECT_EQ(quick.removed, whole.removed);
  EXPECT_LT(quick.counts.verified_pairs, whole.counts.verified_pairs);
  ASSERT_EQ(quick.links.size(), whole.links.size());
  std::size_t less = 0;
  for (std::size_t i = 0; i < quick.links.size(); ++i) {
    EXPECT_LE(quick.links[i].score, whole.links[i].score);
    EXPECT_GE(quick.links[i].score, quick.removed[i].score);
    less += quick.links[i].score < whole.links[i].score ? 1 : 0;
  }
  EXPECT_GT(less, 0U);
}

INSTANTIATE_TEST_SUITE_P(Clusterings, EffortTest,
                         testing::Values(Clustering::kLeader, Clustering::kComponents));

}  // namespace
}  // namespace benzer
