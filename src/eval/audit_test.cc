#include "benzer/audit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benzer/error.h"

#include "dedup/dedup_test_util.h"

namespace benzer {
namespace {

using testing::IsEmpty;

constexpr std::uint32_t kEverything = 1'000'000;

// Returns the pairs that a run with the options of an audit reports.
std::vector<ScoredPair> pairs_of_run(Corpus& corpus, const AuditOptions& options) {
  PairsOptions run;
  static_cast<SimilarityOptions&>(run) = options;
  std::vector<ScoredPair> found;
  find_pairs(corpus, run, [&](const ScoredPair& pair) { found.push_back(pair); });
  return found;
}

struct AuditedPair {
  ScoredPair pair;
  bool found;
  friend bool operator==(const AuditedPair&, const AuditedPair&) = default;
};

struct Audited {
  AuditResult result;
  std::vector<AuditedPair> pairs;  // by (a, b)
};

Audited run_audit(Corpus& corpus, AuditOptions options) {
  Audited out;
  options.pairs = [&](const ScoredPair& pair, bool found) { out.pairs.push_back({pair, found}); };
  out.result = audit(corpus, options);
  std::sort(out.pairs.begin(), out.pairs.end(),
            [](const AuditedPair& x, const AuditedPair& y) { return x.pair < y.pair; });
  return out;
}

AuditOptions narrow_bands(const char* threshold) {
  AuditOptions options;
  options.threshold = Threshold::parse(threshold);
  options.config.banding = Banding{2, 10};
  return options;
}

// Expects that the audited pairs are the true ones, and that those of the run count as found.
void expect_definition(const Audited& audited, const std::vector<SimilarSets>& truth,
                       const std::vector<ScoredPair>& run) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> found;
  for (const ScoredPair& pair : run) found.emplace_back(pair.a, pair.b);
  ASSERT_EQ(audited.pairs.size(), truth.size());
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const AuditedPair expected = {
        {truth[i].a, truth[i].b, truth[i].overlap.jaccard()},
        std::binary_search(found.begin(), found.end(), std::pair{truth[i].a, truth[i].b})};
    EXPECT_EQ(audited.pairs[i], expected) << truth[i].a << " and " << truth[i].b;
  }
}

TEST(Audit, OfEverythingIsBruteForceBesideARun) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const auto texts = mixed_texts(seed, 120);
    for (const char* threshold : {"0.5", "0.8", "1"}) {
      AuditOptions options = narrow_bands(threshold);
      options.sample = kEverything;
      MemoryCorpus corpus = corpus_of(texts);
      const Audited audited = run_audit(corpus, options);
      MemoryCorpus again = corpus_of(texts);
      const auto truth = BruteForce(sets_of(texts)).pairs(options.threshold);
      const auto run = pairs_of_run(again, options);
      expect_definition(audited, truth, run);

      const AuditResult& result = audited.result;
      EXPECT_EQ(result.all.pairs, truth.size());
      EXPECT_EQ(result.all.found, run.size());
      EXPECT_EQ(result.different.pairs + result.equal_pairs, result.all.pairs);
      if (options.threshold.value() < 1) {
        EXPECT_LT(result.all.found, result.all.pairs) << "the bands should miss a lot";
        EXPECT_LT(result.different.share.value, result.all.share.value);
      }
      // All documents were drawn, so nothing is left to chance.
      EXPECT_EQ(result.all.share.low, result.all.share.high);
      EXPECT_EQ(result.similar_share.low, result.similar_share.high);
      EXPECT_EQ(result.sampled, result.taking_part);
      EXPECT_EQ(result.documents, texts.size());
      EXPECT_EQ(result.taking_part + result.empty, texts.size());
      std::uint64_t ranged = result.equal_pairs;
      for (const ScoreRange& range : result.ranges) ranged += range.pairs;
      EXPECT_EQ(ranged, result.all.pairs);
    }
  }
}

// Of equally large documents, of which a run looks for only one in the other, the audit may count a
// pair as missed that a run finds.
TEST(Audit, OfContainmentIsBruteForceBesideARun) {
  std::size_t missed = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const auto texts = mixed_texts(seed, 150);
    const auto sets = sets_of(texts);
    for (const char* threshold : {"0.4", "0.8"}) {
      AuditOptions options;
      options.measure = Measure::kContainment;
      options.threshold = Threshold::parse(threshold);
      options.recall = 0.5;  // so that pairs are missed
      options.sample = kEverything;
      MemoryCorpus corpus = corpus_of(texts);
      const Audited audited = run_audit(corpus, options);
      MemoryCorpus again = corpus_of(texts);
      std::vector<std::pair<std::uint32_t, std::uint32_t>> run;
      for (const ScoredPair& pair : pairs_of_run(again, options)) run.emplace_back(pair.a, pair.b);
      const auto truth =
          BruteForce(sets, Weighting::kNone, Measure::kContainment).pairs(options.threshold);
      ASSERT_EQ(audited.pairs.size(), truth.size());
      for (std::size_t i = 0; i < truth.size(); ++i) {
        const auto& [a, b, common] = truth[i];
        const bool found = std::binary_search(run.begin(), run.end(), std::pair{a, b});
        EXPECT_EQ(audited.pairs[i].pair, (ScoredPair{a, b, common.jaccard()}));
        if (sets[a].size() != sets[b].size()) {
          EXPECT_EQ(audited.pairs[i].found, found) << a << " and " << b;
          missed += !found;
        } else {
          EXPECT_LE(audited.pairs[i].found, found) << a << " and " << b;
        }
      }
      EXPECT_EQ(audited.result.all.pairs, truth.size());
      EXPECT_EQ(audited.result.anchors, plan_anchors(options.threshold.value(), 0.5));
      EXPECT_GT(audited.result.different.predicted, 0.5);
    }
  }
  EXPECT_GT(missed, 10U);
}

TEST(Audit, ContainmentOfSmallDocumentsIsNotLeftToChance) {
  MemoryCorpus corpus;
  corpus.add_text("long", "a b c d e f g h i j k l m n o p q r s t u v w x y z");
  corpus.add_text("part", "a b c d e f g h UNLIKE OTHERS");
  corpus.add_text("less", "k l m n o p q THREE UNLIKE OTHERS");
  AuditOptions options;
  options.config.features = FeatureSpec::parse("text:word1");
  options.measure = Measure::kContainment;
  options.sample = kEverything;
  const AuditResult result = run_audit(corpus, options).result;
  EXPECT_EQ(result.different.pairs, 1U);
  EXPECT_EQ(result.different.predicted, 1);
  for (const ScoreRange& range : result.below)
    EXPECT_EQ(range.predicted, 0) << range.from << ", " << range.pairs;
}

TEST(Audit, PairsComparedElsewhereAreSummedUpAsIfTheyWereComparedHere) {
  const auto texts = mixed_texts(3, 120);
  AuditOptions options = narrow_bands("0.5");
  options.sample = kEverything;
  MemoryCorpus corpus = corpus_of(texts);
  const Audited audited = run_audit(corpus, options);
  ASSERT_EQ(audited.result.sampled + audited.result.empty, texts.size());

  // Everything was drawn, so each pair is met from both its ends. The places of drawn documents do
  // not count those without features.
  const auto sets = sets_of(texts);
  std::vector<std::uint64_t> place(texts.size());
  for (std::size_t i = 0, next = 0; i < texts.size(); ++i)
    if (!sets[i].empty()) place[i] = next++;
  std::map<std::tuple<std::uint64_t, double, bool, bool, bool, bool>, std::uint64_t> counts;
  const double least = least_audited_score(options.threshold);
  EXPECT_DOUBLE_EQ(least, 0.3);
  for (const SimilarSets& pair : BruteForce(sets).pairs(Threshold::parse("0.3"))) {
    const double score = pair.overlap.jaccard();
    const bool found =
        std::any_of(audited.pairs.begin(), audited.pairs.end(), [&](const AuditedPair& one) {
          return one.pair.a == pair.a && one.pair.b == pair.b && one.found;
        });
    const bool equal = pair.overlap.intersection == pair.overlap.set_union;
    const bool similar =
        options.threshold.reached(pair.overlap.intersection, pair.overlap.set_union);
    ++counts[{place[pair.a], score, similar, found, equal, false}];
    ++counts[{place[pair.b], score, similar, found, equal, true}];
  }
  std::vector<AuditedPairs> pairs;
  for (const auto& [key, number] : counts) {
    const auto& [drawn, score, similar, found, equal, again] = key;
    pairs.push_back({drawn, number, score, similar, found, equal, again});
  }
  AuditResult counted;
  counted.documents = texts.size();
  counted.empty = audited.result.empty;
  counted.sampled = counted.taking_part = audited.result.sampled;
  const AuditResult result = sum_up_audit(options, counted, pairs, 0);

  EXPECT_EQ(result.config.str(), audited.result.config.str());
  EXPECT_EQ(result.recall_at_threshold, audited.result.recall_at_threshold);
  EXPECT_EQ(result.equal_pairs, audited.result.equal_pairs);
  EXPECT_EQ(result.with_similar, audited.result.with_similar);
  EXPECT_EQ(result.similar_share.value, audited.result.similar_share.value);
  for (const auto part : {&AuditFigures::all, &AuditFigures::different}) {
    EXPECT_EQ((result.*part).pairs, (audited.result.*part).pairs);
    EXPECT_EQ((result.*part).found, (audited.result.*part).found);
    EXPECT_EQ((result.*part).share.low, (audited.result.*part).share.low);
    EXPECT_NEAR((result.*part).predicted, (audited.result.*part).predicted, 1e-9);
  }
  for (const auto list : {&AuditFigures::ranges, &AuditFigures::below}) {
    ASSERT_EQ((result.*list).size(), (audited.result.*list).size());
    for (std::size_t i = 0; i < (result.*list).size(); ++i) {
      EXPECT_EQ((result.*list)[i].pairs, (audited.result.*list)[i].pairs) << i;
      EXPECT_EQ((result.*list)[i].found, (audited.result.*list)[i].found) << i;
    }
  }

  const auto refused = [&](const AuditedPairs& pair, const AuditResult& numbers) {
    EXPECT_THROW(sum_up_audit(options, numbers, std::span(&pair, 1), 0), Error);
  };
  refused({counted.sampled, 1, 0.5}, counted);
  for (const double score : {0.29, 1.01, -1.0, std::nan(""), HUGE_VAL})
    refused({0, 1, score}, counted);
  counted.sampled = 0;
  refused({0, 1, 0.5}, counted);
  counted.sampled = counted.taking_part + 1;
  refused({0, 1, 0.5}, counted);
}

TEST(Audit, OfASampleHasAllPairsOfTheDrawnDocuments) {
  const auto texts = mixed_texts(7, 200);
  const AuditOptions everything = [] {
    AuditOptions options = narrow_bands("0.6");
    options.sample = kEverything;
    return options;
  }();
  MemoryCorpus whole = corpus_of(texts);
  const auto all = run_audit(whole, everything).pairs;
  for (const std::uint64_t seed : {1, 2, 3}) {
    AuditOptions options = everything;
    options.sample = 100;
    options.seed = seed;
    MemoryCorpus corpus = corpus_of(texts);
    const Audited some = run_audit(corpus, options);
    EXPECT_EQ(some.result.sampled, 100u);
    EXPECT_EQ(some.result.all.pairs, some.pairs.size());
    EXPECT_LT(some.result.all.share.low, some.result.all.share.high);
    // Every pair is one of all pairs. At least one document of it was drawn, so no pair of that
    // document is missing.
    std::map<std::uint32_t, std::uint64_t> unseen;
    for (const AuditedPair& pair : all) {
      if (std::find(some.pairs.begin(), some.pairs.end(), pair) != some.pairs.end()) continue;
      ++unseen[pair.pair.a];
      ++unseen[pair.pair.b];
    }
    std::uint64_t complete = 0, seen = 0;
    for (const AuditedPair& pair : some.pairs) {
      ASSERT_NE(std::find(all.begin(), all.end(), pair), all.end());
      complete += unseen.count(pair.pair.a) == 0 || unseen.count(pair.pair.b) == 0;
      ++seen;
    }
    EXPECT_EQ(complete, seen);
  }
}

TEST(Audit, DrawsTheSameForAnyNumberOfThreadsAndOthersForAnotherSeed) {
  const auto texts = mixed_texts(11, 300);
  AuditOptions options = narrow_bands("0.7");
  options.sample = 150;
  std::vector<std::vector<AuditedPair>> seen;
  for (const auto& [threads, seed] : {std::pair{1, 5}, {3, 5}, {2, 6}}) {
    options.threads = threads;
    options.seed = static_cast<std::uint64_t>(seed);
    MemoryCorpus corpus = corpus_of(texts);
    seen.push_back(run_audit(corpus, options).pairs);
  }
  EXPECT_EQ(seen[0], seen[1]);
  EXPECT_NE(seen[0], seen[2]);
}

TEST(Audit, ValueSetsGroupsReferencesAndShortTexts) {
  const std::string text = "a b c d e f g h i j k l m n o p";
  {
    MemoryCorpus corpus;
    corpus.add_values("x", {"1", "2", "3", "4"});
    corpus.add_values("y", {"4", "3", "2", "1", "1"});
    corpus.add_values("z", {"1", "2", "3", "4", "5"});
    corpus.add_values("none", {});
    AuditOptions options;
    options.config.features = FeatureSpec::parse("values");
    const Audited audited = run_audit(corpus, options);
    EXPECT_EQ(audited.pairs, (std::vector<AuditedPair>{
                                 {{0, 1, 1.0}, true}, {{0, 2, 0.8}, true}, {{1, 2, 0.8}, true}}));
    EXPECT_EQ(audited.result.equal_pairs, 1u);
    EXPECT_EQ(audited.result.empty, 1u);
    EXPECT_EQ(audited.result.with_similar, 3u);
    ASSERT_FALSE(audited.result.ranges.empty());
    EXPECT_EQ(audited.result.ranges[0].pairs, 2u);
    EXPECT_DOUBLE_EQ(audited.result.ranges[0].from, 0.8);
  }
  {
    MemoryCorpus corpus;
    corpus.add_text("r1", text);
    corpus.add_text("r2", text);
    corpus.end_references();
    corpus.add_text("a", text);
    corpus.add_text("b", text, {"other", {}});
    const Audited audited = run_audit(corpus, AuditOptions{});
    EXPECT_EQ(audited.pairs, (std::vector<AuditedPair>{{{0, 2, 1.0}, true}, {{1, 2, 1.0}, true}}));
    EXPECT_EQ(audited.result.documents, 2u);
    EXPECT_EQ(audited.result.sampled_documents, 2u);
    EXPECT_EQ(audited.result.with_similar, 1u);
  }
  for (const ShortPolicy policy : {ShortPolicy::kExact, ShortPolicy::kKeep, ShortPolicy::kDrop}) {
    MemoryCorpus corpus = corpus_of({"two words", "two words", text, text});
    AuditOptions options;
    options.short_policy = policy;
    const Audited audited = run_audit(corpus, options);
    EXPECT_EQ(audited.pairs.size(), policy == ShortPolicy::kExact ? 2u : 1u);
    EXPECT_EQ(audited.result.short_documents, 2u);
  }
}

// The audit counts weights by an index of the sample, and a run by hash tables.
TEST(Audit, OfWeightsFindsThePairsOfARun) {
  TestRandom random(4);
  MemoryCorpus corpus;
  for (int i = 0; i < 150; ++i) {
    const std::uint64_t family = random.below(20);
    std::vector<std::string> values;
    std::vector<double> weights;
    for (std::uint64_t j = 0; j < 12; ++j) {
      values.push_back("v" +
                       std::to_string(random.below(9) == 0 ? random.below(1000) : family * 20 + j));
      weights.push_back(static_cast<double>(1 + random.below(4)) * 0.25);
    }
    corpus.add_weighted_values("", values, weights);
  }
  AuditOptions options;
  options.sample = kEverything;
  options.config = Config::parse("values+weights");
  options.threshold = Threshold::parse("0.6");
  options.recall = 0.999999;
  const Audited audited = run_audit(corpus, options);
  std::vector<ScoredPair> found;
  for (const AuditedPair& one : audited.pairs) {
    EXPECT_TRUE(one.found);
    found.push_back(one.pair);
  }
  std::vector<ScoredPair> expected = pairs_of_run(corpus, options);
  std::sort(expected.begin(), expected.end());
  EXPECT_GT(found.size(), 30U);
  EXPECT_EQ(found, expected);
}

TEST(Audit, OfNothing) {
  for (const std::vector<std::string>& texts :
       {std::vector<std::string>{}, {"", "?!"}, {"a b c d e f"}}) {
    MemoryCorpus corpus = corpus_of(texts);
    const Audited audited = run_audit(corpus, AuditOptions{});
    EXPECT_THAT(audited.pairs, IsEmpty());
    EXPECT_EQ(audited.result.all.share.low, 0);
    EXPECT_EQ(audited.result.all.share.high, 1);
  }
  MemoryCorpus corpus;
  AuditOptions none;
  none.sample = 0;
  EXPECT_THROW(audit(corpus, none), Error);
}

// The sample is complete even if most documents of the corpus have no features.
TEST(Audit, DrawsOnlyDocumentsThatTakePart) {
  std::vector<std::string> texts(5000, "...");
  const auto few = mixed_texts(3, 10);
  texts.insert(texts.end(), few.begin(), few.end());
  MemoryCorpus corpus = corpus_of(texts);
  AuditOptions options;
  options.sample = 20;
  EXPECT_EQ(audit(corpus, options).sampled, 20u);
}

TEST(Audit, RefusesFeaturesWithoutBands) {
  MemoryCorpus corpus;
  corpus.add_text("a", "no picture");
  for (const char* const features : {"image:pdq", "image:near", "image:sift"}) {
    AuditOptions options;
    options.config.features = FeatureSpec::parse(features);
    EXPECT_THROW(audit(corpus, options), Error) << features;
    ForecastOptions forecast_options;
    forecast_options.config.features = options.config.features;
    EXPECT_THROW(forecast(corpus, forecast_options, {}), Error) << features;
  }
}

}  // namespace
}  // namespace benzer
