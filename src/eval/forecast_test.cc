#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include <gtest/gtest.h>

#include "benzer/audit.h"
#include "benzer/error.h"

#include "dedup/dedup_test_util.h"
#include "eval/key_set.h"

namespace benzer {
namespace {

constexpr std::uint32_t kAllDocuments = 1'000'000;
const std::vector<Banding> kBandings = {{16, 6}, {40, 3}, {128, 1}};

Forecast forecast_of(const std::vector<std::string>& texts, const ForecastOptions& options) {
  MemoryCorpus corpus = corpus_of(texts);
  return forecast(corpus, options, kBandings);
}

// Returns the features of the first document of each set, as a run collapses documents.
std::vector<FeatureSet> distinct_sets(const std::vector<std::string>& texts) {
  const FeatureExtractor extractor(FeatureSpec{});
  FeatureBuffer buffer;
  std::set<std::vector<std::uint64_t>> seen;
  std::vector<FeatureSet> sets;
  for (const std::string& text : texts) {
    extractor.extract(text, buffer);
    std::vector<std::uint64_t> bag(buffer.features().begin(), buffer.features().end());
    std::sort(bag.begin(), bag.end());
    if (!bag.empty() && seen.insert(bag).second) sets.emplace_back(buffer.features());
  }
  return sets;
}

TEST(Forecast, OfEverythingIsTheSumOfTheCurve) {
  const auto texts = mixed_texts(1, 150);
  const auto sets = distinct_sets(texts);
  ForecastOptions options;
  options.sample = kAllDocuments;
  const Forecast whole = forecast_of(texts, options);
  EXPECT_EQ(whole.distinct_sets, sets.size());
  EXPECT_EQ(whole.documents, texts.size());

  double similar = 0;
  std::vector<double> candidates(kBandings.size());
  std::uint64_t share_nothing = 0;
  for (std::size_t a = 0; a < sets.size(); ++a) {
    for (std::size_t b = a + 1; b < sets.size(); ++b) {
      const Overlap common = overlap(sets[a], sets[b]);
      similar += options.threshold.reached(common.intersection, common.set_union);
      share_nothing += common.intersection == 0;
      for (std::size_t i = 0; i < kBandings.size(); ++i)
        candidates[i] += kBandings[i].bands * std::pow(common.jaccard(), kBandings[i].rows);
    }
  }
  EXPECT_NEAR(whole.similar.value, similar, 1e-6);
  EXPECT_EQ(whole.similar.low, whole.similar.high);
  for (std::size_t i = 0; i < kBandings.size(); ++i) {
    EXPECT_NEAR(whole.runs[i].candidates.value, candidates[i], 2e-3 * candidates[i]);
    EXPECT_LE(whole.runs[i].compared.value, whole.runs[i].candidates.value);
    EXPECT_LE(whole.runs[i].chance.value, whole.runs[i].candidates.value);
  }
  // Every copy of a set was drawn and met all other sets.
  std::uint64_t in_ranges = 0;
  for (const SimilarityRange& range : whole.background) in_ranges += range.pairs;
  EXPECT_EQ(in_ranges, whole.pairs);
  EXPECT_GE(whole.background[0].pairs, 2 * share_nothing);
}

// Compares the forecast with sixty runs with other hashes. Pairs of one cluster share hashes, so
// the number of candidates varies more than that of independent pairs, whose variance is below the
// mean. The bound therefore takes twice their standard deviation, and allows four standard errors.
TEST(Forecast, IsTheMeanOfRunsWithOtherSeeds) {
  constexpr int kRuns = 60;
  const auto texts = mixed_texts(2, 150);
  ForecastOptions options;
  options.sample = kAllDocuments;
  const RunForecast expected = forecast_of(texts, options).runs[0];
  double candidates = 0, compared = 0, read_again = 0;
  for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
    DedupOptions run;
    run.config.features.seed = seed;
    run.config.banding = kBandings[0];
    run.collect = Collect::kCompared;
    MemoryCorpus corpus = corpus_of(texts);
    const DedupResult result = deduplicate(corpus, run);
    candidates += static_cast<double>(result.counts.candidates) / kRuns;
    // A later document of a set is listed with the first one, although neither is read for that.
    std::set<std::uint32_t> read;
    std::size_t pairs = compared_of(result).size();
    for (const ScoredPair& pair : compared_of(result)) {
      if (pair.score == 1 && texts[pair.a] == texts[pair.b]) continue;
      read.insert({pair.a, pair.b});
    }
    pairs -= result.counts.exact_duplicates;
    compared += static_cast<double>(pairs) / kRuns;
    read_again += static_cast<double>(read.size()) / kRuns;
  }
  const auto bound = [](double mean) { return 4 * 2 * std::sqrt(mean / kRuns); };
  EXPECT_NEAR(candidates, expected.candidates.value, bound(candidates));
  EXPECT_NEAR(compared, expected.compared.value, bound(compared));
  EXPECT_NEAR(read_again, expected.read_again.value, bound(read_again));
}

TEST(Forecast, IntervalsOfSamplesCoverTheWhole) {
  const auto texts = mixed_texts(3, 400);
  ForecastOptions options;
  options.sample = kAllDocuments;
  const double truth = forecast_of(texts, options).runs[0].candidates.value;
  options.sample = 250;
  constexpr int kSamples = 100;
  int covered = 0;
  for (std::uint64_t seed = 0; seed < kSamples; ++seed) {
    options.seed = seed;
    const Estimate estimate = forecast_of(texts, options).runs[0].candidates;
    EXPECT_LT(estimate.low, estimate.high);
    covered += estimate.low <= truth && truth <= estimate.high;
  }
  // Of 100 samples with a coverage of 0.95, fewer than 86 cover with probability 2e-4.
  EXPECT_GE(covered, 86);
}

TEST(Forecast, GrowsWithTheDocuments) {
  const auto texts = mixed_texts(4, 100);
  ForecastOptions options;
  options.sample = 100;
  const Forecast now = forecast_of(texts, options);
  options.documents = 10 * texts.size();
  const Forecast later = forecast_of(texts, options);
  EXPECT_EQ(later.for_documents, 10 * texts.size());
  for (std::size_t i = 0; i < kBandings.size(); ++i) {
    const double chance = now.runs[i].chance.value;
    EXPECT_NEAR(later.runs[i].chance.value, 100 * chance, 1e-6 * chance);
    EXPECT_LT(later.runs[i].candidates.value, 100 * now.runs[i].candidates.value);
    EXPECT_GE(later.runs[i].candidates.high, later.runs[i].candidates.value);
  }
  EXPECT_NEAR(later.similar.value, 10 * now.similar.value, 1e-6 * now.similar.value);
  EXPECT_GE(later.similar.high, 10 * later.similar.value);
  // In a part of a corpus, both kinds of pairs shrink with the square of the documents.
  options.documents = texts.size() / 2;
  const Forecast part = forecast_of(texts, options);
  const double ratio = part.similar.value / now.similar.value;
  EXPECT_NEAR(ratio, 0.25, 0.01);
}

// The pairs of different sets that a run compares, of which at least one has documents.
struct ComparedSets {
  double similar = 0, similar_with_references = 0;
  std::vector<double> chance, chance_with_references;  // candidates for each banding
  std::uint64_t documents = 0, references = 0;         // sets with documents, and all others
  // Pairs of each document, and each reference, with a set that shares no value with it, and all.
  std::uint64_t strangers = 0, met = 0;
};

struct ValueDocument {
  std::set<int> values;
  std::string group;
  bool is_reference = false;
};

// Returns value sets, all of which share values with most others of any group. Some are equal to
// others, also documents to references.
std::vector<ValueDocument> value_documents(std::uint64_t seed, std::size_t references,
                                           std::size_t documents) {
  TestRandom random(seed);
  std::vector<ValueDocument> out;
  for (std::size_t i = 0; i < references + documents; ++i) {
    ValueDocument one;
    one.group = std::string(1, static_cast<char>('a' + random.below(3)));
    one.is_reference = i < references;
    if (!out.empty() && random.below(4) == 0) {
      one.values = out[random.below(out.size())].values;
      if (random.below(2) == 0) one.values.insert(static_cast<int>(random.below(1000)));
    }
    while (one.values.size() < 12) one.values.insert(static_cast<int>(random.below(60)));
    out.push_back(std::move(one));
  }
  return out;
}

ComparedSets compared_sets(const std::vector<ValueDocument>& documents,
                           const Threshold& threshold) {
  ComparedSets out;
  out.chance.resize(kBandings.size());
  out.chance_with_references.resize(kBandings.size());
  std::map<std::pair<std::string, std::set<int>>, bool> sets;  // whether only references have it
  for (const ValueDocument& one : documents) {
    const auto [at, is_new] = sets.try_emplace({one.group, one.values}, true);
    at->second = at->second && one.is_reference;
  }
  const auto common = [](const std::set<int>& a, const std::set<int>& b) {
    std::vector<int> both;
    std::ranges::set_intersection(a, b, std::back_inserter(both));
    return both.size();
  };
  for (auto a = sets.begin(); a != sets.end(); ++a) {
    ++(a->second ? out.references : out.documents);
    for (auto b = std::next(a); b != sets.end(); ++b) {
      const bool with_reference = a->second || b->second;
      if (a->first.first != b->first.first || (a->second && b->second)) continue;
      const std::size_t shared = common(a->first.second, b->first.second);
      const std::size_t all = a->first.second.size() + b->first.second.size() - shared;
      if (threshold.reached(shared, all)) {
        ++(with_reference ? out.similar_with_references : out.similar);
        continue;
      }
      for (std::size_t i = 0; i < kBandings.size(); ++i)
        (with_reference ? out.chance_with_references : out.chance)[i] +=
            kBandings[i].bands *
            std::pow(static_cast<double>(shared) / static_cast<double>(all), kBandings[i].rows);
    }
  }
  for (const ValueDocument& one : documents)
    for (const auto& [set, only_references] : sets) {
      if (set.first != one.group || set.second == one.values) continue;
      if (one.is_reference && only_references) continue;
      ++out.met;
      out.strangers += common(set.second, one.values) == 0;
    }
  return out;
}

Forecast forecast_of_values(const std::vector<ValueDocument>& documents, ForecastOptions options) {
  MemoryCorpus corpus;
  bool in_references = false;
  for (const ValueDocument& one : documents) {
    if (in_references && !one.is_reference) corpus.end_references();
    in_references = one.is_reference;
    std::vector<std::string> values;
    for (const int value : one.values) values.push_back(std::to_string(value));
    corpus.add_values("", values, {one.group, {}});
  }
  options.config.features = FeatureSpec::parse("values");
  options.sample = kAllDocuments;
  return forecast(corpus, options, kBandings);
}

TEST(Forecast, CountsOnlyPairsThatARunCompares) {
  for (const std::size_t references : {0u, 60u, 200u}) {
    const std::vector<ValueDocument> documents = value_documents(7, references, 120);
    ForecastOptions options;
    const ComparedSets expected = compared_sets(documents, options.threshold);
    const Forecast whole = forecast_of_values(documents, options);
    EXPECT_EQ(whole.references, references);
    EXPECT_EQ(whole.documents, 120u);
    EXPECT_EQ(whole.distinct_sets, expected.documents);
    EXPECT_EQ(whole.pairs, expected.met);
    EXPECT_EQ(whole.background[0].pairs, expected.strangers);
    EXPECT_NEAR(whole.similar.value, expected.similar + expected.similar_with_references, 1e-6);
    for (std::size_t i = 0; i < kBandings.size(); ++i) {
      const double chance = expected.chance[i] + expected.chance_with_references[i];
      EXPECT_NEAR(whole.runs[i].chance.value, chance, 2e-3 * chance);
    }
  }
}

TEST(Forecast, ReferencesStayWhenDocumentsGrow) {
  const std::vector<ValueDocument> documents = value_documents(8, 200, 100);
  ForecastOptions options;
  const ComparedSets now = compared_sets(documents, options.threshold);
  ASSERT_GT(now.similar, 0);
  ASSERT_GT(now.similar_with_references, 0);
  for (const double factor : {10.0, 0.5}) {
    options.documents = static_cast<std::uint64_t>(100 * factor);
    const Forecast later = forecast_of_values(documents, options);
    const double copies = std::min(factor, 1.0) * factor * now.similar;
    const double similar = copies + factor * now.similar_with_references;
    EXPECT_NEAR(later.similar.value, similar, 1e-6 * similar);
    // The upper bound allows for the square of the documents.
    EXPECT_GE(later.similar.high,
              factor * factor * now.similar + factor * now.similar_with_references);
    for (std::size_t i = 0; i < kBandings.size(); ++i) {
      const double chance =
          factor * factor * now.chance[i] + factor * now.chance_with_references[i];
      EXPECT_NEAR(later.runs[i].chance.value, chance, 2e-3 * chance);
      EXPECT_LE(later.runs[i].read_again.high,
                factor * static_cast<double>(now.documents) + static_cast<double>(now.references));
    }
  }
}

TEST(Forecast, DoesNotDependOnThreads) {
  const auto texts = mixed_texts(5, 200);
  ForecastOptions options;
  options.sample = 80;
  options.threads = 1;
  const Forecast one = forecast_of(texts, options);
  options.threads = 3;
  const Forecast three = forecast_of(texts, options);
  for (std::size_t i = 0; i < kBandings.size(); ++i) {
    EXPECT_EQ(one.runs[i].candidates.value, three.runs[i].candidates.value);
    EXPECT_EQ(one.runs[i].read_again.high, three.runs[i].read_again.high);
  }
}

TEST(Forecast, OfNothing) {
  for (const std::vector<std::string>& texts :
       {std::vector<std::string>{}, {"", "?!"}, {"a b c d e f"}}) {
    const Forecast nothing = forecast_of(texts, ForecastOptions{});
    ASSERT_EQ(nothing.runs.size(), kBandings.size());
    EXPECT_EQ(nothing.runs[0].candidates.value, 0);
    EXPECT_EQ(nothing.pairs, 0u);
  }
  ForecastOptions none;
  none.sample = 0;
  EXPECT_THROW(forecast_of({}, none), Error);
}

TEST(KeySet, KnowsWhatItHas) {
  TestRandom random(1);
  KeySet set;
  std::set<std::uint64_t> model;
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t key = random.below(10'000);
    EXPECT_EQ(set.insert(key), model.insert(key).second);
  }
  EXPECT_EQ(set.size(), model.size());
}

}  // namespace
}  // namespace benzer
