// Tests +drop-common against its definition: exact counts, plain sets, every pair.
#include "dedup/count_pass.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "benzer/audit.h"
#include "benzer/error.h"

#include "base/sanitized.h"
#include "base/test_random.h"
#include "dedup/dedup_test_util.h"
#include "features/frequency_counter.h"

namespace benzer {
namespace {

using internal::FrequencyCounter;

// Makes near-copies, short and empty texts, many of which begin or end with one of three passages.
std::vector<std::string> texts_with_boilerplate(std::uint64_t seed) {
  TestRandom random(seed);
  std::vector<std::string> passages;
  for (const std::size_t size : {30, 60, 12}) passages.push_back(words(random, size, 100000));
  std::vector<std::string> texts = mixed_texts(seed, 60);
  for (std::string& text : texts) {
    const std::size_t which = random.below(5);
    if (which < 3) text = random.below(2) == 0 ? passages[which] + text : text + passages[which];
  }
  // These two texts have only features that others have, too.
  texts.push_back(passages[0]);
  texts.push_back(passages[0]);
  return texts;
}

using Set = std::set<std::uint64_t>;

struct Oracle {
  std::vector<Set> sets;  // of each text, without common features
  std::uint64_t dropped = 0, only_common = 0;

  Oracle(const std::vector<std::string>& texts, FeatureSpec spec) {
    const std::uint64_t share = std::exchange(spec.drop_common, 0);
    const FeatureExtractor extractor(spec);
    FeatureBuffer buffer;
    std::map<std::uint64_t, std::uint64_t> documents;
    for (const std::string& text : texts) {
      extractor.extract(text, buffer);
      sets.emplace_back(buffer.features().begin(), buffer.features().end());
      for (const std::uint64_t feature : sets.back()) ++documents[feature];
    }
    const auto is_common = [&](std::uint64_t feature) {
      return documents[feature] * 1'000'000'000 > share * texts.size() && documents[feature] >= 10;
    };
    Set seen;
    for (Set& set : sets) {
      Set own;
      std::copy_if(set.begin(), set.end(), std::inserter(own, own.end()),
                   [&](std::uint64_t feature) { return !is_common(feature); });
      only_common += own.empty() && !set.empty();
      if (own.empty()) continue;
      std::copy_if(set.begin(), set.end(), std::inserter(seen, seen.end()), is_common);
      set = own;
    }
    dropped = seen.size();
  }

  std::vector<ScoredPair> pairs(const Threshold& threshold) const {
    std::vector<ScoredPair> out;
    for (std::uint32_t a = 0; a < sets.size(); ++a)
      for (std::uint32_t b = a + 1; b < sets.size(); ++b) {
        std::vector<std::uint64_t> common;
        std::set_intersection(sets[a].begin(), sets[a].end(), sets[b].begin(), sets[b].end(),
                              std::back_inserter(common));
        const std::size_t all = sets[a].size() + sets[b].size() - common.size();
        if (threshold.reached(common.size(), all))
          out.push_back({a, b, static_cast<double>(common.size()) / static_cast<double>(all)});
      }
    return out;
  }
};

struct PairsRun {
  SimilarityCounts counts;
  std::vector<ScoredPair> pairs;
};

PairsRun run_pairs(const std::vector<std::string>& texts, const PairsOptions& options) {
  MemoryCorpus corpus = corpus_of(texts);
  PairsRun out;
  out.counts =
      find_pairs(corpus, options, [&](const ScoredPair& pair) { out.pairs.push_back(pair); });
  return out;
}

TEST(DropCommon, IsTheDefinition) {
  for (const char* spelling :
       {"text:word2+drop-common:0.1", "text:word5+drop-common:0.15",
        "text:word1+bag+drop-common:0.05", "text:char3+drop-common:0.2+seed:4",
        "text:word3+drop-common:0.000000001"}) {
    for (const std::uint64_t seed : {1, 2}) {
      if (kSanitized && seed > 1) break;
      SCOPED_TRACE(spelling + std::string(", ") + std::to_string(seed));
      const std::vector<std::string> texts = texts_with_boilerplate(seed);
      PairsOptions options;
      options.config.features = FeatureSpec::parse(spelling);
      options.config.banding = Banding{128, 1};  // no misses
      options.threshold = Threshold::parse("0.5");
      const Oracle oracle(texts, options.config.features);
      const std::vector<ScoredPair> wanted = oracle.pairs(options.threshold);
      EXPECT_GT(oracle.dropped, 0U);
      for (const auto& [exact, threads] : {std::pair{false, 4}, {true, 3}, {false, 1}, {true, 1}}) {
        if (kSanitized && threads == 1) break;
        options.exact = exact;
        options.threads = threads;
        const PairsRun run = run_pairs(texts, options);
        EXPECT_EQ(run.pairs, wanted);
        EXPECT_EQ(run.counts.common_features, oracle.dropped);
        EXPECT_EQ(run.counts.only_common, oracle.only_common);
      }
    }
  }
}

TEST(DropCommon, ADedupRemovesWhatIsSimilarWithoutTheBoilerplate) {
  const std::vector<std::string> texts = texts_with_boilerplate(5);
  DedupOptions options = options_without_misses("0.7");
  options.config.features = FeatureSpec::parse("text:word2+drop-common:0.1");
  const Oracle oracle(texts, options.config.features);
  std::vector<FeatureSet> sets;
  for (const Set& set : oracle.sets)
    sets.emplace_back(std::vector<std::uint64_t>(set.begin(), set.end()));
  const std::vector<Removal> wanted =
      sequential_pass(sets, order_of(texts, options.keep), options.threshold, 0,
                      [](std::uint32_t, std::uint32_t) { return true; });
  for (const int threads : {1, 4}) {
    options.threads = threads;
    MemoryCorpus corpus = corpus_of(texts);
    EXPECT_EQ(deduplicate(corpus, options).removed, wanted);
  }
}

TEST(DropCommon, AnAuditComparesWhatARunCompares) {
  const std::vector<std::string> texts = texts_with_boilerplate(6);
  AuditOptions options;
  options.config.features = FeatureSpec::parse("text:word2+drop-common:0.1");
  options.threshold = Threshold::parse("0.6");
  options.sample = 100000;
  const Oracle oracle(texts, options.config.features);
  MemoryCorpus corpus = corpus_of(texts);
  EXPECT_EQ(audit(corpus, options).all.pairs, oracle.pairs(options.threshold).size());
}

// A tenth of the documents are copies of one text, so all their features are common.
TEST(DropCommon, ManyCopiesAreStillRemoved) {
  TestRandom random(7);
  std::vector<std::string> texts(20, words(random, 40, 100000));
  for (int i = 0; i < 180; ++i) texts.push_back(words(random, 40, 100000));
  MemoryCorpus corpus = corpus_of(texts);
  DedupOptions options;
  options.config.features = FeatureSpec::parse("text:word5+drop-common:0.05");
  const DedupResult result = deduplicate(corpus, options);
  EXPECT_EQ(result.removed.size(), 19U);
  EXPECT_EQ(result.counts.only_common, 20U);
  EXPECT_EQ(result.counts.common_features, 0U);
  EXPECT_EQ(result.counts.empty, 0U);
}

TEST(DropCommon, ReferencesAndOtherGroupsCount) {
  MemoryCorpus corpus;
  for (int i = 0; i < 6; ++i) corpus.add_text("r", "menu bar r" + std::to_string(i));
  corpus.end_references();
  for (int i = 0; i < 6; ++i)
    corpus.add_text("d", "menu bar d" + std::to_string(i), {std::to_string(i % 2), {}});
  DedupOptions options;
  options.config.features = FeatureSpec::parse("text:word1+drop-common:0.5");
  options.threshold = Threshold::parse("0.5");
  const DedupResult result = deduplicate(corpus, options);
  EXPECT_EQ(result.counts.common_features, 2U);
  EXPECT_TRUE(result.removed.empty());
}

TEST(DropCommon, AnExtractorAloneDoesNotKnowWhatIsCommon) {
  EXPECT_THROW(FeatureExtractor(FeatureSpec::parse("text:word5+drop-common:0.1")), Error);
}

TEST(FrequencyCounter, CommonIsMoreThanTheShareAndAtLeastTenDocuments) {
  const auto is_common = [](int times, std::uint64_t documents, std::uint32_t share) {
    FrequencyCounter counts;
    const std::uint64_t feature = 0x123456789ABCDEF0;
    for (int i = 0; i < times; ++i) counts.add({&feature, 1});
    counts.finish(documents, share);
    return counts.is_common(feature);
  };
  EXPECT_FALSE(is_common(9, 20, 100'000'000));
  EXPECT_TRUE(is_common(10, 20, 100'000'000));
  EXPECT_FALSE(is_common(30, 300, 100'000'000));
  EXPECT_TRUE(is_common(31, 300, 100'000'000));
  EXPECT_FALSE(is_common(31, 319'999'999'999, 1));  // more than 319.99 documents are needed
  EXPECT_FALSE(is_common(9, 0, 1));
}

TEST(FrequencyCounter, EstimatesAreNeverTooLowAndHardlyEverFarTooHigh) {
  TestRandom random(8);
  FrequencyCounter counts;
  constexpr std::size_t kFeatures = 4'000'000;
  const std::vector<std::uint64_t> features = random.numbers(kFeatures);
  counts.add(features);
  counts.add(std::span(features).first(1000));
  // A counter counts 0.95 others on average; the bound for an excess of 4 is (0.95 / 4)^4 = 0.0032.
  std::size_t too_high = 0;
  for (std::size_t i = 0; i < 100'000; ++i) {
    const std::uint32_t truth = i < 1000 ? 2 : 1;
    ASSERT_GE(counts.estimate(features[i]), truth);
    too_high += counts.estimate(features[i]) >= truth + 4;
  }
  EXPECT_LT(too_high, 320U);
}

TEST(FrequencyCounter, RefusesAShareThatItCannotCount) {
  TestRandom random(9);
  FrequencyCounter counts;
  const std::vector<std::uint64_t> features = random.numbers(5'000'000);
  counts.add(features);
  try {
    counts.finish(1000, 1'000'000);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    EXPECT_STREQ(error.what(),
                 "+drop-common:0.001 is too rare to be counted in 5000000 shingles of 1000 "
                 "documents: give a share of at least 0.01");
  }
}

}  // namespace
}  // namespace benzer
