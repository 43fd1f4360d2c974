// Tests that a memory limit changes where data is stored, and never the result.
#include <gtest/gtest.h>

#include "benzer/error.h"

#include "dedup/dedup_test_util.h"

namespace benzer {
namespace {

// Makes texts with a common passage, so that a bucket has more sets than the largest whose pairs
// are all compared.
std::vector<std::string> with_boilerplate(std::uint64_t seed) {
  std::vector<std::string> texts = mixed_texts(seed, 150);
  TestRandom random(seed + 1);
  const std::string passage = words(random, 60, 100000);
  for (int i = 0; i < 200; ++i) texts.push_back(passage + words(random, random.below(60), 100000));
  return texts;
}

TEST(MemoryLimit, ChangesNoRemovalAndNoComparison) {
  const auto texts = with_boilerplate(1);
  for (const Clustering clustering : {Clustering::kLeader, Clustering::kComponents}) {
    for (const char* keep : {"first", "longest"}) {
      DedupOptions options;
      options.threshold = Threshold::parse("0.6");
      options.clustering = clustering;
      options.keep = KeepOrder::parse(keep);
      options.collect = Collect::kCompared;
      MemoryCorpus corpus = corpus_of(texts);
      const DedupResult expected = deduplicate(corpus, options);
      EXPECT_GT(expected.removed.size(), 100u);
      for (const std::uint64_t limit : {1 << 21, 1 << 20}) {
        for (const int threads : {1, 4}) {
          options.memory_limit = limit;
          options.threads = threads;
          MemoryCorpus again = corpus_of(texts);
          const DedupResult result = deduplicate(again, options);
          EXPECT_EQ(result.removed, expected.removed) << keep << limit;
          EXPECT_EQ(compared_of(result), compared_of(expected));
          EXPECT_EQ(result.counts.candidates, expected.counts.candidates);
          EXPECT_EQ(result.counts.verified_pairs, expected.counts.verified_pairs);
          EXPECT_EQ(result.removed_bytes, expected.removed_bytes);
        }
      }
    }
  }
}

TEST(MemoryLimit, ChangesNoPair) {
  const auto texts = with_boilerplate(2);
  PairsOptions options;
  options.threshold = Threshold::parse("0.5");
  std::vector<ScoredPair> expected, found;
  MemoryCorpus corpus = corpus_of(texts);
  find_pairs(corpus, options, [&](const ScoredPair& pair) { expected.push_back(pair); });
  EXPECT_GT(expected.size(), 500u);
  options.memory_limit = 1 << 18;
  MemoryCorpus again = corpus_of(texts);
  find_pairs(again, options, [&](const ScoredPair& pair) { found.push_back(pair); });
  EXPECT_EQ(found, expected);
}

TEST(MemoryLimit, TooLittleIsRefusedWithWhatIsNeeded) {
  MemoryCorpus corpus = corpus_of(mixed_texts(1, 150));
  DedupOptions options;
  options.memory_limit = 1000;
  try {
    deduplicate(corpus, options);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    EXPECT_NE(std::string(error.what()).find("allow"), std::string::npos);
  }
}

// Two of the largest documents must fit into the limit together with their features.
TEST(MemoryLimit, LargeDocumentsAreRefusedWithWhatIsNeeded) {
  std::string large;
  for (int i = 0; i < 5000; ++i) large += std::to_string(i) + " ";
  DedupOptions options;
  options.memory_limit = 1 << 19;
  MemoryCorpus corpus = corpus_of({"one two three four five six", large});
  try {
    deduplicate(corpus, options);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    EXPECT_NE(std::string(error.what()).find("with 4996 features among 2 documents; allow 1 MiB"),
              std::string::npos)
        << error.what();
  }
  options.memory_limit = 1 << 20;
  MemoryCorpus again = corpus_of({"one two three four five six", large});
  EXPECT_EQ(deduplicate(again, options).kept, 2u);
}

}  // namespace
}  // namespace benzer
