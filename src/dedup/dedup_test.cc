#include "benzer/dedup.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "benzer/error.h"
#include "benzer/features.h"
#include "benzer/similarity.h"

#include "base/test_random.h"

namespace benzer {
namespace {

std::string words(TestRandom& random, std::size_t count, std::uint64_t vocabulary) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i)
    text += "w" + std::to_string(random.below(vocabulary)) + " ";
  return text;
}

// Families of near-copies at all similarities, equal copies, repeats of the same words, short texts
// and empty ones, shuffled.
std::vector<std::string> mixed_texts(std::uint64_t seed, std::size_t families) {
  TestRandom random(seed);
  std::vector<std::string> texts;
  for (std::size_t f = 0; f < families; ++f) {
    const std::size_t length = 8 + random.below(120);
    const std::string base = words(random, length, 100000);
    texts.push_back(base);
    const std::size_t copies = random.below(6);
    for (std::size_t c = 0; c < copies; ++c) {
      std::string copy = base;
      switch (random.below(5)) {
        case 0:
          break;
        case 1:
          copy += words(random, 1 + random.below(length / 3 + 1), 100000);
          break;
        case 2:
          copy = copy.substr(0, copy.size() - random.below(copy.size() / 3));
          break;
        case 3:
          copy = words(random, 1 + random.below(3), 100000) + copy;
          break;
        default:
          copy += copy;  // the same set in part, other repeats
          break;
      }
      texts.push_back(copy);
    }
  }
  for (const char* text : {"", "!?", "two words", "Two, words!", "one", "two words"})
    texts.emplace_back(text);
  for (std::size_t i = texts.size(); i > 1; --i) std::swap(texts[i - 1], texts[random.below(i)]);
  return texts;
}

MemoryCorpus corpus_of(const std::vector<std::string>& texts) {
  MemoryCorpus corpus;
  for (std::size_t i = 0; i < texts.size(); ++i) corpus.add_text("t" + std::to_string(i), texts[i]);
  return corpus;
}

std::vector<FeatureSet> sets_of(const std::vector<std::string>& texts) {
  const FeatureExtractor extractor(FeatureSpec{});
  FeatureBuffer buffer;
  std::vector<FeatureSet> sets;
  for (const std::string& text : texts) {
    extractor.extract(text, buffer);
    sets.emplace_back(buffer.features());
  }
  return sets;
}

// The definition: one sequential pass in keep order, comparing with everything kept so far.
std::vector<Removal> sequential_pass(const std::vector<std::string>& texts,
                                     const Threshold& threshold, Keep keep) {
  const auto sets = sets_of(texts);
  std::vector<std::uint32_t> order(texts.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  if (keep == Keep::kLast) std::reverse(order.begin(), order.end());
  if (keep == Keep::kLongest || keep == Keep::kShortest)
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t x, std::uint32_t y) {
      return keep == Keep::kLongest ? texts[x].size() > texts[y].size()
                                    : texts[x].size() < texts[y].size();
    });
  std::vector<std::uint32_t> kept;
  std::vector<Removal> removed;
  for (const std::uint32_t document : order) {
    Removal best{document, std::nullopt, 0};
    for (const std::uint32_t other : kept) {
      const Overlap common = overlap(sets[document], sets[other]);
      if (threshold.reached(common.intersection, common.set_union) &&
          common.jaccard() > best.score) {
        best.kept = other;
        best.score = common.jaccard();
      }
    }
    if (best.kept) {
      removed.push_back(best);
    } else {
      kept.push_back(document);
    }
  }
  std::sort(removed.begin(), removed.end(),
            [](const Removal& x, const Removal& y) { return x.document < y.document; });
  return removed;
}

// 128 bands of one row find every pair at 0.5 and above: 1 - 0.5^128. So the result must be the
// sequential pass itself, not just like it.
DedupOptions options_without_misses(const char* threshold) {
  DedupOptions options;
  options.threshold = Threshold::parse(threshold);
  options.config.banding = Banding{128, 1};
  return options;
}

TEST(Deduplicate, IsTheSequentialPassInEveryKeepOrder) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const auto texts = mixed_texts(seed, 60);
    for (const Keep keep : {Keep::kFirst, Keep::kLast, Keep::kLongest, Keep::kShortest}) {
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

// More near-copies in one bucket than the limit for comparing all pairs: they are worked through
// kept documents only, which must not change anything.
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
  for (std::size_t i = 0; i < 60; ++i) texts.push_back(texts[i]);  // copies of removed ones too
  for (const char* threshold : {"0.5", "0.8"}) {
    const DedupOptions options = options_without_misses(threshold);
    MemoryCorpus corpus = corpus_of(texts);
    EXPECT_EQ(deduplicate(corpus, options).removed,
              sequential_pass(texts, options.threshold, Keep::kFirst));
  }

  // With several bands, large and small buckets share pairs; none may be counted twice.
  PairsOptions all_pairs;
  all_pairs.config.banding = Banding{40, 3};
  MemoryCorpus for_pairs = corpus_of(texts);
  const SimilarityCounts most = find_pairs(for_pairs, all_pairs, [](const SimilarPair&) {});
  DedupOptions kept_only;
  kept_only.config.banding = Banding{40, 3};
  MemoryCorpus corpus = corpus_of(texts);
  const SimilarityCounts counts = deduplicate(corpus, kept_only).counts;
  EXPECT_LT(counts.candidates, most.candidates);
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
  EXPECT_EQ(result.counts.candidates, 1u);
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
  for (const Case& c :
       {Case{ShortPolicy::kExact, {{1, 0, 1.0}, {3, 2, 1.0}}},
        Case{ShortPolicy::kKeep, {{3, 2, 1.0}}},
        Case{ShortPolicy::kDrop, {{0, std::nullopt, 0}, {1, std::nullopt, 0}, {3, 2, 1.0}}}}) {
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

std::vector<SimilarPair> pairs_of(const std::vector<std::string>& texts, PairsOptions options) {
  MemoryCorpus corpus = corpus_of(texts);
  std::vector<SimilarPair> pairs;
  find_pairs(corpus, options, [&](const SimilarPair& pair) { pairs.push_back(pair); });
  return pairs;
}

TEST(FindPairs, EqualsBruteForceWithAndWithoutLsh) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const auto texts = mixed_texts(seed, 50);
    for (const char* threshold : {"0.5", "0.8", "1"}) {
      PairsOptions options;
      options.threshold = Threshold::parse(threshold);
      options.config.banding = Banding{128, 1};
      std::vector<SimilarPair> expected;
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

// Recall at the planned bands, as a statistic: of n pairs at or above the threshold, each is found
// with probability at least 0.99; fewer than 0.99 n - 5.5 sqrt(n 0.99 0.01) found has a chance
// below 2e-8.
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
  std::vector<SimilarPair> pairs;
  find_pairs(corpus, options, [&](const SimilarPair& pair) { pairs.push_back(pair); });
  const std::vector<SimilarPair> expected = {{0, 1, 1.0}, {0, 2, 0.8}, {1, 2, 0.8}};
  EXPECT_EQ(pairs, expected);
}

}  // namespace
}  // namespace benzer
