// Tests references, groups, components, and the lists of compared pairs, each against its
// definition.
#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "dedup/dedup_test_util.h"

namespace benzer {
namespace {

TEST(References, StayAndRemoveOthersAsTheSequentialPassDoes) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const auto texts = mixed_texts(seed, 60);
    const auto sets = sets_of(texts);
    for (const char* rule : {"first", "last", "longest"}) {
      for (const std::uint32_t references : {1u, 70u, 100u}) {
        DedupOptions options = options_without_misses("0.5");
        options.keep = KeepOrder::parse(rule);
        MemoryCorpus corpus;
        for (std::uint32_t i = 0; i < texts.size(); ++i) {
          if (i == references) corpus.end_references();
          corpus.add_text("", texts[i]);
        }
        const DedupResult result = deduplicate(corpus, options);
        // Of two keepers with the same score the earlier in keep order counts; references are in
        // keep order, too.
        auto removed =
            sequential_pass(sets, order_of(texts, options.keep), options.threshold, references,
                            [](std::uint32_t, std::uint32_t) { return true; });
        ASSERT_EQ(result.removed.size(), removed.size()) << seed << rule << references;
        for (std::size_t i = 0; i < removed.size(); ++i) {
          EXPECT_EQ(result.removed[i].document, removed[i].document);
          EXPECT_EQ(result.removed[i].score, removed[i].score);
          if (options.keep == KeepOrder()) {
            EXPECT_EQ(result.removed[i].keeper, removed[i].keeper);
          }
          EXPECT_GE(result.removed[i].document, references);
        }
        EXPECT_EQ(result.counts.references, references);
        EXPECT_EQ(result.counts.documents, texts.size() - references);
        EXPECT_EQ(result.kept + removed.size(), texts.size() - references);
      }
    }
  }
}

// References are kept even if they are equal. The keeper is the earliest of those with the highest
// score, even if a later one is equal to the document word for word.
TEST(References, OfEqualSetsTheEarliestIsTheKeeper) {
  const std::string once = "a b c d e f g h i j ", twice = once + once;
  const std::string other = "k l m n o p q r s t ";
  struct Case {
    std::vector<std::string> references, documents;
    std::vector<std::uint32_t> keepers;
  };
  // With shingles of five words, three times the text has the same set as twice the text.
  const std::vector<Case> cases = {
      {{twice, twice + once}, {twice + once, twice}, {0, 0}},
      {{twice + once, twice}, {twice, twice + once, twice}, {0, 0, 0}},
      {{other, twice, twice + once, other + once}, {twice + once, other}, {1, 0}},
      {{once, once}, {once}, {0}},
  };
  for (const Case& c : cases) {
    for (const Clustering clustering : {Clustering::kLeader, Clustering::kComponents}) {
      for (const std::size_t strangers : {0, 100}) {  // 100 make a large bucket
        MemoryCorpus corpus;
        for (const std::string& text : c.references) corpus.add_text("", text);
        corpus.end_references();
        for (const std::string& text : c.documents) corpus.add_text("", text);
        for (std::size_t i = 0; i < strangers; ++i)
          corpus.add_text("", twice + "x" + std::to_string(i) + " y z" + std::to_string(i));
        DedupOptions options = options_without_misses("0.9");
        options.clustering = clustering;
        const DedupResult result = deduplicate(corpus, options);
        ASSERT_EQ(result.removed.size(), c.documents.size());
        for (std::size_t i = 0; i < c.documents.size(); ++i) {
          EXPECT_EQ(result.removed[i].keeper, c.keepers[i]) << strangers;
          EXPECT_EQ(result.removed[i].score, 1.0);
        }
      }
    }
  }
}

// A copy of a reference is removed because of that, so the reference is not compared with others
// that are like it. Pairs are counted and listed once, and none is of two references.
TEST(References, AreNotComparedForTheirCopies) {
  const auto like = [](std::size_t number) {
    return "a b c d e f g h i j k l m n o p q r s t u v w x y z n" + std::to_string(number);
  };
  for (const Measure measure : {Measure::kJaccard, Measure::kContainment}) {
    for (const Clustering clustering : {Clustering::kLeader, Clustering::kComponents}) {
      if (measure == Measure::kContainment && clustering == Clustering::kComponents) continue;
      for (const std::uint32_t references : {20u, 200u}) {  // the latter make large buckets
        MemoryCorpus corpus;
        for (std::uint32_t i = 0; i < references; ++i) corpus.add_text("", like(i));
        corpus.end_references();
        for (std::uint32_t i = 0; i < references; ++i) corpus.add_text("", like(i));
        corpus.add_text("", like(references));
        DedupOptions options = options_without_misses("0.9");
        if (measure == Measure::kContainment)
          options.config.banding = DedupOptions().config.banding;
        options.measure = measure;
        options.clustering = clustering;
        options.collect = Collect::kSimilar;
        const DedupResult result = deduplicate(corpus, options);
        ASSERT_EQ(result.removed.size(), references + 1);
        for (std::uint32_t i = 0; i < references; ++i) {
          EXPECT_EQ(result.removed[i].keeper, clustering == Clustering::kLeader ? i : 0);
          if (clustering == Clustering::kLeader) {
            EXPECT_EQ(result.removed[i].score, 1.0);
          }
        }
        const std::vector<ScoredPair> similar = similar_of(result);
        EXPECT_EQ(result.counts.exact_duplicates, references);
        EXPECT_EQ(similar.size(), result.counts.verified_pairs + references);
        for (const ScoredPair& pair : similar) EXPECT_GE(pair.b, references);
        if (clustering == Clustering::kLeader && references == 200) {
          EXPECT_EQ(result.counts.verified_pairs, references);  // of the last document
        }
      }
    }
  }
}

TEST(References, AreInPairsWithOthersOnly) {
  const auto texts = mixed_texts(3, 60);
  const std::uint32_t references = 80;
  for (const bool exact : {false, true}) {
    PairsOptions options;
    static_cast<SimilarityOptions&>(options) = options_without_misses("0.5");
    options.exact = exact;
    MemoryCorpus corpus;
    for (std::uint32_t i = 0; i < texts.size(); ++i) {
      if (i == references) corpus.end_references();
      corpus.add_text("", texts[i]);
    }
    std::vector<ScoredPair> expected, found;
    for (const SimilarSets& pair : BruteForce(sets_of(texts)).pairs(options.threshold))
      if (pair.b >= references) expected.push_back({pair.a, pair.b, pair.overlap.jaccard()});
    find_pairs(corpus, options, [&](const ScoredPair& pair) { found.push_back(pair); });
    EXPECT_EQ(found, expected) << exact;
  }
}

TEST(Groups, AreWorlds) {
  const auto texts = mixed_texts(5, 80);
  const auto sets = sets_of(texts);
  TestRandom random(1);
  std::vector<std::string> groups;
  for (std::size_t i = 0; i < texts.size(); ++i)
    groups.push_back(std::vector<std::string>{"", "x", "y"}[random.below(3)]);
  MemoryCorpus corpus;
  for (std::size_t i = 0; i < texts.size(); ++i) corpus.add_text("", texts[i], {groups[i], {}});
  const auto same = [&](std::uint32_t a, std::uint32_t b) { return groups[a] == groups[b]; };

  const DedupOptions options = options_without_misses("0.5");
  EXPECT_EQ(deduplicate(corpus, options).removed,
            sequential_pass(sets, order_of(texts, KeepOrder()), options.threshold, 0, same));
  for (const bool exact : {false, true}) {
    PairsOptions pairs;
    static_cast<SimilarityOptions&>(pairs) = options;
    pairs.exact = exact;
    std::vector<ScoredPair> expected, found;
    for (const SimilarSets& pair : BruteForce(sets).pairs(options.threshold))
      if (same(pair.a, pair.b)) expected.push_back({pair.a, pair.b, pair.overlap.jaccard()});
    find_pairs(corpus, pairs, [&](const ScoredPair& pair) { found.push_back(pair); });
    EXPECT_EQ(found, expected) << exact;
  }
}

// Returns the connected components of all pairs that reach the threshold, by the definition.
std::map<std::uint32_t, std::set<std::uint32_t>> components(const std::vector<FeatureSet>& sets,
                                                            const Threshold& threshold) {
  std::vector<std::uint32_t> root(sets.size());
  for (std::uint32_t i = 0; i < root.size(); ++i) root[i] = i;
  for (bool changed = true; changed;) {
    changed = false;
    for (const SimilarSets& pair : BruteForce(sets).pairs(threshold)) {
      const std::uint32_t least = std::min(root[pair.a], root[pair.b]);
      changed |= root[pair.a] != least || root[pair.b] != least;
      root[pair.a] = root[pair.b] = least;
    }
  }
  std::map<std::uint32_t, std::set<std::uint32_t>> members;
  for (std::uint32_t i = 0; i < root.size(); ++i)
    if (root[i] != i) members[root[i]].insert(i);
  return members;
}

// Returns the link of a document by the definition: the first of its copies, or if it is the first
// one, the most similar of the others, and of equally similar ones the earliest.
Link most_similar(const std::vector<FeatureSet>& sets, std::uint32_t document) {
  Link best{0, -1};
  for (std::uint32_t other = 0; other < sets.size(); ++other) {
    const double score = overlap(sets[document], sets[other]).jaccard();
    if (score == 1 && other >= document) continue;
    if (score > best.score) best = {other, score};
  }
  return best;
}

void expect_components(const std::vector<std::string>& texts, const char* threshold) {
  const auto sets = sets_of(texts);
  DedupOptions options = options_without_misses(threshold);
  options.clustering = Clustering::kComponents;
  MemoryCorpus corpus = corpus_of(texts);
  const DedupResult result = deduplicate(corpus, options);
  std::map<std::uint32_t, std::set<std::uint32_t>> found;
  ASSERT_EQ(result.links.size(), result.removed.size());
  for (std::size_t i = 0; i < result.removed.size(); ++i) {
    const Removal& removal = result.removed[i];
    found[removal.keeper.value()].insert(removal.document);
    EXPECT_EQ(removal.score, overlap(sets[removal.document], sets[*removal.keeper]).jaccard());
    EXPECT_EQ(result.links[i], most_similar(sets, removal.document));
    EXPECT_GE(result.links[i].score, removal.score);
  }
  EXPECT_EQ(found, components(sets, options.threshold)) << threshold;
  EXPECT_EQ(result.clusters, found.size());
}

TEST(Components, AreThoseOfAllSimilarPairs) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed)
    for (const char* threshold : {"0.5", "0.8"})
      expect_components(mixed_texts(seed, 60), threshold);
}

// A chain of small steps in large buckets: each text drops a word at its beginning and gains one at
// its end, so that neighbours are similar and the ends of the chain share nothing.
TEST(Components, FollowChainsThroughLargeBuckets) {
  TestRandom random(8);
  std::vector<std::string> words_in_order;
  for (int i = 0; i < 400; ++i) words_in_order.push_back("w" + std::to_string(i));
  std::vector<std::string> texts;
  for (std::size_t start = 0; start + 60 < words_in_order.size(); ++start) {
    std::string text;
    for (std::size_t i = start; i < start + 60; ++i) text += words_in_order[i] + " ";
    texts.push_back(text);
  }
  for (std::size_t i = 0; i < 100; ++i) texts.push_back(texts[random.below(300)]);
  for (std::size_t i = texts.size(); i > 1; --i) std::swap(texts[i - 1], texts[random.below(i)]);
  for (const char* threshold : {"0.5", "0.8"}) expect_components(texts, threshold);
  // A document that is connected through a later one may be more similar to its keeper.
  std::vector<std::string> copies;
  for (int i = 0; i < 120; ++i)
    copies.push_back(words(random, 60, 400) + texts[0] + texts[0].substr(0, random.below(100)));
  expect_components(copies, "0.2");
  MemoryCorpus corpus = corpus_of(texts);
  DedupOptions options = options_without_misses("0.8");
  options.clustering = Clustering::kComponents;
  const DedupResult result = deduplicate(corpus, options);
  EXPECT_EQ(result.kept, 1u);
  EXPECT_EQ(std::min_element(result.removed.begin(), result.removed.end(),
                             [](const Removal& x, const Removal& y) { return x.score < y.score; })
                ->score,
            0.0);
}

TEST(Compared, ListsEveryCandidateWithItsScore) {
  const auto texts = mixed_texts(7, 60);
  const auto sets = sets_of(texts);
  for (const Clustering clustering : {Clustering::kLeader, Clustering::kComponents}) {
    DedupOptions options = options_without_misses("0.8");
    options.clustering = clustering;
    options.collect = Collect::kCompared;
    std::vector<ScoredPair> first;
    for (const int threads : {1, 3}) {
      options.threads = threads;
      MemoryCorpus corpus = corpus_of(texts);
      const DedupResult result = deduplicate(corpus, options);
      const std::vector<ScoredPair> similar = similar_of(result);
      for (const auto& [pairs, are_similar] :
           {std::pair{&similar, true}, {&result.below.sample, false}}) {
        for (const ScoredPair& pair : *pairs) {
          const Overlap common = overlap(sets[pair.a], sets[pair.b]);
          EXPECT_LT(pair.a, pair.b);
          EXPECT_EQ(pair.score, common.jaccard());
          EXPECT_EQ(options.threshold.reached(common.intersection, common.set_union), are_similar);
        }
      }
      EXPECT_GT(result.below.sample.size(), 5u);
      // The list has each similar pair once: the verified ones, and one for each equal copy.
      EXPECT_EQ(std::set<ScoredPair>(similar.begin(), similar.end()).size(), similar.size());
      EXPECT_EQ(similar.size(), result.counts.verified_pairs + result.counts.exact_duplicates);
      if (threads == 1) first = compared_of(result);
      EXPECT_EQ(compared_of(result), first);
    }
  }
}

}  // namespace
}  // namespace benzer
