// Tests runs over value sets with weights: their pairs and removals are those of the definition,
// with and without sketches.
#include <gtest/gtest.h>

#include "benzer/dedup.h"

#include "base/test_random.h"
#include "base/weight.h"
#include "dedup/dedup_test_util.h"

namespace benzer {
namespace {

struct WeightedValues {
  std::vector<std::string> values;
  std::vector<double> weights;
};

// Families of sets that share values and differ in some weights.
std::vector<WeightedValues> families(std::uint64_t seed, int count) {
  TestRandom random(seed);
  std::vector<WeightedValues> out;
  for (int i = 0; i < count; ++i) {
    const std::uint64_t family = random.below(static_cast<std::uint64_t>(count) / 6 + 1);
    WeightedValues set;
    for (std::uint64_t j = 0; j < 25; ++j) {
      if (random.below(12) == 0) continue;
      set.values.push_back("v" + std::to_string(family) + "-" + std::to_string(j));
      const double usual = static_cast<double>(1 + splitmix64(family * 100 + j) % 400) / 100;
      set.weights.push_back(random.below(6) == 0 ? usual * 3 : usual);
    }
    out.push_back(std::move(set));
  }
  out.push_back({});  // similar to nothing
  return out;
}

MemoryCorpus weighted_corpus(const std::vector<WeightedValues>& sets) {
  MemoryCorpus corpus;
  for (const auto& [values, weights] : sets) corpus.add_weighted_values("", values, weights);
  return corpus;
}

// The score of every two sets, by their weights alone.
double weighted_score(const WeightedValues& a, const WeightedValues& b) {
  double smaller = 0, larger = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    double other = 0;
    for (std::size_t j = 0; j < b.values.size(); ++j)
      if (b.values[j] == a.values[i]) other = b.weights[j];
    smaller += std::min(a.weights[i], other);
    larger += std::max(a.weights[i], other) - other;
  }
  for (const double weight : b.weights) larger += weight;
  return larger > 0 ? smaller / larger : 0;
}

TEST(Weights, PairsAreThoseOfTheDefinition) {
  const std::vector<WeightedValues> sets = families(1, 120);
  MemoryCorpus corpus = weighted_corpus(sets);
  for (const bool exact : {true, false}) {
    PairsOptions options;
    options.config = Config::parse("values+weights");
    options.threshold = Threshold::parse("0.6");
    options.exact = exact;
    options.recall = 0.999999;
    std::vector<ScoredPair> found;
    find_pairs(corpus, options, [&](const ScoredPair& pair) { found.push_back(pair); });
    std::sort(found.begin(), found.end());
    std::size_t next = 0;
    for (std::uint32_t a = 0; a < sets.size(); ++a) {
      for (std::uint32_t b = a + 1; b < sets.size(); ++b) {
        const double score = weighted_score(sets[a], sets[b]);
        if (std::abs(score - 0.6) < 1e-9 || score < 0.6) continue;
        ASSERT_LT(next, found.size());
        EXPECT_EQ(found[next].a, a);
        EXPECT_EQ(found[next].b, b);
        EXPECT_NEAR(found[next].score, score, 1e-12);
        ++next;
      }
    }
    EXPECT_EQ(next, found.size());
    EXPECT_GT(next, 40U);
  }
}

TEST(Weights, RemovedDocumentsAreSimilarToAKeptOne) {
  const std::vector<WeightedValues> sets = families(2, 300);
  MemoryCorpus corpus = weighted_corpus(sets);
  DedupOptions options;
  options.config = Config::parse("values+weights");
  options.threshold = Threshold::parse("0.5");
  options.recall = 0.999999;
  const DedupResult result = deduplicate(corpus, options);
  std::vector<bool> is_removed(sets.size());
  for (const Removal& removal : result.removed) is_removed[removal.document] = true;
  EXPECT_GT(result.removed.size(), 100U);
  for (const Removal& removal : result.removed) {
    ASSERT_TRUE(removal.keeper);
    EXPECT_FALSE(is_removed[*removal.keeper]);
    EXPECT_NEAR(removal.score, weighted_score(sets[removal.document], sets[*removal.keeper]),
                1e-12);
  }
  for (std::uint32_t a = 0; a < sets.size(); ++a)
    for (std::uint32_t b = a + 1; b < sets.size(); ++b)
      if (!is_removed[a] && !is_removed[b]) {
        EXPECT_LT(weighted_score(sets[a], sets[b]), 0.5 + 1e-9);
      }
}

TEST(Weights, AWeightOfOneForEachIsNoWeight) {
  const std::vector<WeightedValues> sets = families(3, 60);
  MemoryCorpus plain, weighted;
  for (const auto& [values, weights] : sets) {
    plain.add_values("", values);
    weighted.add_values("", values);
  }
  PairsOptions options;
  options.exact = true;
  options.threshold = Threshold::parse("0.7");
  std::vector<std::vector<ScoredPair>> found;
  for (const auto& [corpus, spec] : {std::pair{&plain, "values"}, {&weighted, "values+weights"}}) {
    options.config = Config::parse(spec);
    found.emplace_back();
    find_pairs(*corpus, options, [&](const ScoredPair& pair) { found.back().push_back(pair); });
  }
  EXPECT_GT(found[0].size(), 20U);
  EXPECT_EQ(found[0], found[1]);
}

}  // namespace
}  // namespace benzer
