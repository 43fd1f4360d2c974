#include "benzer/dedup.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "benzer/error.h"
#include "benzer/input.h"

#include "base/error_test_util.h"
#include "base/sanitized.h"
#include "dedup/dedup_test_util.h"
#include "io/io_test_util.h"

namespace benzer {
namespace {

TEST(Deduplicate, IsTheSequentialPassInEveryKeepOrder) {
  for (std::uint64_t seed = 1; seed <= (kSanitized ? 2 : 6); ++seed) {
    const auto texts = mixed_texts(seed, 60);
    for (const char* rule : {"first", "last", "longest", "shortest"}) {
      const KeepOrder keep = KeepOrder::parse(rule);
      for (const char* threshold : {"0.5", "0.8", "1"}) {
        DedupOptions options = options_without_misses(threshold);
        options.keep = keep;
        const auto expected = sequential_pass(texts, options.threshold, keep);
        for (const int threads : {1, 3}) {
          options.threads = threads;
          MemoryCorpus corpus = corpus_of(texts);
          const DedupResult result = deduplicate(corpus, options);
          EXPECT_EQ(result.removed, expected) << "seed " << seed << " at " << threshold;
          EXPECT_EQ(result.kept + result.removed.size(), texts.size());
        }
      }
    }
  }
}

// One bucket has more near-copies than the limit for comparing all pairs, so they are compared with
// kept documents only, which must not change the result.
TEST(Deduplicate, LargeBucketsGiveTheSameResult) {
  TestRandom random(5);
  std::vector<std::string> texts;
  for (int family = 0; family < 3; ++family) {
    std::string base = words(random, 150, 100000);
    for (int copy = 0; copy < 150; ++copy) {
      std::string text = base;
      const std::size_t cut = random.below(60);
      for (std::size_t i = 0; i < cut; ++i) text = text.substr(text.find(' ') + 1);
      texts.push_back(random.below(2) == 0 ? text + words(random, random.below(30), 100000) : text);
    }
  }
  for (std::size_t i = texts.size(); i > 1; --i) std::swap(texts[i - 1], texts[random.below(i)]);
  for (std::size_t i = 0; i < 60; ++i) texts.push_back(texts[i]);  // also copies of removed ones
  for (const char* threshold : {"0.5", "0.8"}) {
    const DedupOptions options = options_without_misses(threshold);
    MemoryCorpus corpus = corpus_of(texts);
    EXPECT_EQ(deduplicate(corpus, options).removed,
              sequential_pass(texts, options.threshold, KeepOrder()));
  }

  // With several bands, large and small buckets share pairs; none may be counted twice.
  PairsOptions all_pairs;
  all_pairs.config.banding = Banding{40, 3};
  MemoryCorpus for_pairs = corpus_of(texts);
  const SimilarityCounts most = find_pairs(for_pairs, all_pairs, [](const ScoredPair&) {});
  DedupOptions kept_only;
  kept_only.config.banding = Banding{40, 3};
  MemoryCorpus corpus = corpus_of(texts);
  const SimilarityCounts counts = deduplicate(corpus, kept_only).counts;
  EXPECT_GT(counts.candidates, 0u);
  EXPECT_LE(counts.verified_pairs, most.verified_pairs);
}

TEST(Deduplicate, CountsWhatItSaw) {
  const std::string text = "a b c d e f g h i j k l m n o p";
  MemoryCorpus corpus = corpus_of({text, text, "", "?!", "two words", text + " q", "two words"});
  const DedupResult result = deduplicate(corpus, DedupOptions{});
  EXPECT_EQ(result.counts.documents, 7u);
  EXPECT_EQ(result.counts.empty, 2u);
  EXPECT_EQ(result.counts.short_documents, 2u);
  EXPECT_EQ(result.counts.exact_duplicates, 2u);
  EXPECT_EQ(result.counts.candidates, 9u);  // the one pair shares nine bands
  EXPECT_EQ(result.counts.verified_pairs, 1u);
  EXPECT_EQ(result.kept, 4u);
  EXPECT_EQ(result.clusters, 2u);
  EXPECT_EQ(result.counts.config.str(), "text:word5 | fss:128 | bands:16x6");
  EXPECT_NEAR(result.counts.recall_at_threshold, 0.992, 0.001);
  const std::vector<Removal> expected = {{1, 0, 1.0}, {5, 0, 12.0 / 13}, {6, 4, 1.0}};
  EXPECT_EQ(result.removed, expected);
}

TEST(Deduplicate, FollowsThePolicyForShortTexts) {
  const std::vector<std::string> texts = {"two words", "two words", "a b c d e f", "a b c d e f",
                                          ""};
  struct Case {
    ShortPolicy policy;
    std::vector<Removal> removed;
  };
  for (const Case& c : {Case{ShortPolicy::kExact, {{1, 0, 1.0}, {3, 2, 1.0}}},
                        Case{ShortPolicy::kKeep, {{3, 2, 1.0}}},
                        Case{ShortPolicy::kDrop, {{0, {}, 0}, {1, {}, 0}, {3, 2, 1.0}}}}) {
    DedupOptions options;
    options.short_policy = c.policy;
    MemoryCorpus corpus = corpus_of(texts);
    EXPECT_EQ(deduplicate(corpus, options).removed, c.removed);
  }
}

TEST(Deduplicate, RefusesBandsThatDoNotFit) {
  DedupOptions options;
  options.config.banding = Banding{22, 6};
  MemoryCorpus corpus;
  EXPECT_THROW(deduplicate(corpus, options), Error);
}

TEST(Deduplicate, StopsWhenAsked) {
  const std::atomic<bool> stop = true;
  DedupOptions options;
  options.stop = &stop;
  MemoryCorpus corpus = corpus_of(mixed_texts(1, 10));
  try {
    deduplicate(corpus, options);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInterrupted);
  }
}

TEST(Deduplicate, TakesNothing) {
  MemoryCorpus corpus;
  const DedupResult result = deduplicate(corpus, DedupOptions{});
  EXPECT_EQ(result.counts.documents, 0u);
  EXPECT_TRUE(result.removed.empty());
}

std::vector<ScoredPair> pairs_of(const std::vector<std::string>& texts,
                                 const PairsOptions& options) {
  MemoryCorpus corpus = corpus_of(texts);
  std::vector<ScoredPair> pairs;
  find_pairs(corpus, options, [&](const ScoredPair& pair) { pairs.push_back(pair); });
  return pairs;
}

TEST(FindPairs, EqualsBruteForceWithAndWithoutLsh) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const auto texts = mixed_texts(seed, 50);
    for (const char* threshold : {"0.5", "0.8", "1"}) {
      PairsOptions options;
      options.threshold = Threshold::parse(threshold);
      options.config.banding = Banding{128, 1};
      std::vector<ScoredPair> expected;
      for (const SimilarSets& pair : BruteForce(sets_of(texts)).pairs(options.threshold))
        expected.push_back({pair.a, pair.b, pair.overlap.jaccard()});
      for (const bool exact : {false, true}) {
        for (const int threads : {1, 3}) {
          options.exact = exact;
          options.threads = threads;
          EXPECT_EQ(pairs_of(texts, options), expected) << "seed " << seed << " at " << threshold;
        }
      }
    }
  }
}

// Checks the recall at the planned bands statistically: each of n pairs at or above the threshold
// is found with a probability of at least 0.99, so fewer than 0.99 n - 5.5 sqrt(n 0.99 0.01) are
// found with a probability below 2e-8.
TEST(FindPairs, KeepsTheRecallThatThePlanPromises) {
  const auto texts = mixed_texts(99, 1500);
  for (const char* sketch : {"fss:128", "kperm:128"}) {
    PairsOptions options;
    options.config.sketch = SketchSpec::parse(sketch);
    const std::size_t found = pairs_of(texts, options).size();
    options.exact = true;
    const std::size_t all = pairs_of(texts, options).size();
    EXPECT_GT(all, 1000u);
    const double n = static_cast<double>(all);
    EXPECT_GE(static_cast<double>(found), 0.99 * n - 5.5 * std::sqrt(n * 0.99 * 0.01)) << sketch;
    EXPECT_LE(found, all);
  }
}

TEST(FindPairs, TakesValueSets) {
  MemoryCorpus corpus;
  corpus.add_values("a", {"x", "y", "z", "u"});
  corpus.add_values("b", {"u", "z", "y", "x"});
  corpus.add_values("c", {"x", "y", "z", "u", "v"});
  corpus.add_values("d", {});
  PairsOptions options;
  options.config.features = FeatureSpec::parse("values");
  std::vector<ScoredPair> pairs;
  find_pairs(corpus, options, [&](const ScoredPair& pair) { pairs.push_back(pair); });
  const std::vector<ScoredPair> expected = {{0, 1, 1.0}, {0, 2, 0.8}, {1, 2, 0.8}};
  EXPECT_EQ(pairs, expected);
}

TEST(Deduplicate, RefusesSketchesThatNoSpellingHas) {
  DedupOptions options;
  options.config.banding = Banding{16, 6};
  for (const int slots : {0, -1, 4097}) {
    options.config.sketch.slots = slots;
    MemoryCorpus corpus = corpus_of({"a text of six words here"});
    EXPECT_EQ(error_of([&] { deduplicate(corpus, options); }).code(), ErrorCode::kInvalidArgument)
        << slots;
  }
}

// They would be similar to nothing, and nobody would know why.
TEST(Deduplicate, RefusesDocumentsOfWhichTheFeaturesAreNotMade) {
  MemoryCorpus values;
  values.add_values("a", {"x", "y"});
  EXPECT_EQ(error_sentence(ErrorCode::kInvalidArgument, [&] { deduplicate(values, {}); }),
            "a document is a set of values, of which text:word5 are no features; give features of "
            "values");
  MemoryCorpus texts = corpus_of({"a text"});
  DedupOptions options;
  options.config.features = FeatureSpec::parse("values");
  EXPECT_EQ(error_sentence(ErrorCode::kInvalidArgument, [&] { deduplicate(texts, options); }),
            "a document is a text, of which values are no features; give features of texts, such "
            "as text:word5");
}

// Nothing promises how many references there are before all is read.
TEST(Deduplicate, ReferencesMayBeKnownAfterTheScan) {
  class Late : public MemoryCorpus {
   public:
    void scan(DocumentVisitor& visitor, int threads) override {
      MemoryCorpus::scan(visitor, threads);
      scanned_ = true;
    }
    std::uint32_t references() const noexcept override {
      return scanned_ ? MemoryCorpus::references() : 0;
    }

   private:
    bool scanned_ = false;
  };
  Late corpus;
  for (const char* id : {"r1", "r2"}) corpus.add_text(id, "a text of six words here");
  corpus.end_references();
  corpus.add_text("d", "a text of six words here");
  const DedupResult result = deduplicate(corpus, {});
  ASSERT_EQ(result.removed.size(), 1u);
  EXPECT_EQ(result.removed[0].document, 2u);
  EXPECT_EQ(result.counts.references, 2u);
}

// What a corpus of files keeps of its documents would be there twice.
TEST(Deduplicate, TakesACorpusOfFilesOnce) {
  const TestFolder folder;
  for (const char* name : {"a.jsonl", "a.txt"}) {
    InputOptions input;
    input.inputs = {folder.write(name, "{\"text\":\"a text of six words here\"}\n")};
    FileCorpus corpus(input);
    deduplicate(corpus, {});
    EXPECT_EQ(error_sentence(ErrorCode::kInvalidArgument, [&] { deduplicate(corpus, {}); }),
              "the corpus was read before: make another one of the same inputs for this call");
  }
}

}  // namespace
}  // namespace benzer
