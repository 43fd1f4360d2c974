// Tests +tf-idf against its definition: exact counts, logarithms of the library, every pair.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "benzer/audit.h"
#include "benzer/error.h"

#include "base/sanitized.h"
#include "base/weight.h"
#include "dedup/count_pass.h"
#include "dedup/dedup_test_util.h"
#include "features/frequency_counter.h"
#include "features/text_rules_test_util.h"

namespace benzer {
namespace {

// Returns the features of each text without weights, in the order of the text.
std::vector<std::vector<std::uint64_t>> plain_features(const std::vector<std::string>& texts,
                                                       FeatureSpec spec) {
  spec.tf_idf = false;
  const FeatureExtractor extractor(spec);
  FeatureBuffer buffer;
  std::vector<std::vector<std::uint64_t>> out;
  for (const std::string& text : texts) {
    if (spec.values()) {
      extractor.extract_values(std::vector<std::string_view>{text, text, "all"}, buffer);
    } else {
      extractor.extract(text, buffer);
    }
    out.emplace_back(buffer.features().begin(), buffer.features().end());
  }
  return out;
}

std::vector<FeatureSet> weighed(const std::vector<std::string>& texts, const FeatureSpec& spec) {
  const auto all = plain_features(texts, spec);
  std::map<std::uint64_t, double> documents;
  for (const auto& features : all)
    for (const std::uint64_t feature : std::set(features.begin(), features.end()))
      ++documents[feature];
  std::vector<FeatureSet> out;
  for (const auto& features : all) {
    std::map<std::uint64_t, std::uint64_t> weights;
    for (const std::uint64_t feature : features)
      weights[feature] += static_cast<std::uint64_t>(std::llround(
          1e6 * std::log2(1 + static_cast<double>(texts.size()) / documents[feature])));
    std::vector<std::uint64_t> set;
    for (const auto& [feature, weight] : weights) set.push_back(with_weight(feature, weight));
    out.emplace_back(set);
  }
  return out;
}

std::vector<ScoredPair> pairs_of(const std::vector<FeatureSet>& sets, const Threshold& threshold) {
  std::vector<ScoredPair> out;
  for (const SimilarSets& pair : BruteForce(sets, Weighting::kWeights).pairs(threshold))
    out.push_back({pair.a, pair.b, pair.overlap.jaccard()});
  return out;
}

// Near-copies, one in three of which begins with the same passage.
std::vector<std::string> texts_with_passage(std::uint64_t seed) {
  TestRandom random(seed);
  const std::string passage = words(random, 30, 100000);
  std::vector<std::string> texts = mixed_texts(seed, 50);
  for (std::size_t i = 0; i < texts.size(); i += 3) texts[i] = passage + texts[i];
  return texts;
}

MemoryCorpus corpus_of(const std::vector<std::string>& texts, bool are_values) {
  MemoryCorpus corpus;
  for (const std::string& text : texts) {
    if (are_values) {
      corpus.add_values("", {text, text, "all"});
    } else {
      corpus.add_text("", text);
    }
  }
  return corpus;
}

TEST(TfIdf, PairsAreThoseOfTheDefinition) {
  register_test_rules();
  for (const char* spelling : {"text:word1+tf-idf", "text:word2+tf-idf+seed:9", "text:char4+tf-idf",
                               "values+tf-idf", "own:ascii-words2+tf-idf"}) {
    SCOPED_TRACE(spelling);
    PairsOptions options;
    options.config.features = FeatureSpec::parse(spelling);
    options.config.banding = Banding{128, 1};  // no misses
    options.threshold = Threshold::parse("0.5");
    const bool are_values = options.config.features.values() != nullptr;
    const std::vector<std::string> texts = texts_with_passage(3);
    const std::vector<ScoredPair> wanted =
        pairs_of(weighed(texts, options.config.features), options.threshold);
    EXPECT_GT(wanted.size(), 20U);
    for (const auto& [exact, threads] : {std::pair{false, 4}, {true, 3}, {false, 1}}) {
      if (kSanitized && threads == 1) break;
      options.exact = exact;
      options.threads = threads;
      MemoryCorpus corpus = corpus_of(texts, are_values);
      std::vector<ScoredPair> found;
      find_pairs(corpus, options, [&](const ScoredPair& pair) { found.push_back(pair); });
      EXPECT_EQ(found, wanted);
    }
  }
}

TEST(TfIdf, AnAuditComparesWhatARunCompares) {
  const std::vector<std::string> texts = texts_with_passage(4);
  AuditOptions options;
  options.config.features = FeatureSpec::parse("text:word1+tf-idf");
  options.threshold = Threshold::parse("0.6");
  options.sample = 100000;
  MemoryCorpus corpus = corpus_of(texts, false);
  EXPECT_EQ(audit(corpus, options).all.pairs,
            pairs_of(weighed(texts, options.config.features), options.threshold).size());
}

// What most documents have counts less, and what few have counts more, than without weights.
TEST(TfIdf, RareWordsDecide) {
  std::vector<std::string> texts = {"menu bar page zebra quagga", "menu bar page okapi giraffe",
                                    "other bits zebra quagga"};
  for (int i = 0; i < 60; ++i) texts.push_back("menu bar page text" + std::to_string(i));
  const auto score = [&](const char* spec, std::size_t a, std::size_t b) {
    const FeatureSpec features = FeatureSpec::parse(spec);
    if (features.tf_idf) {
      const std::vector<FeatureSet> sets = weighed(texts, features);
      return overlap(sets[a], sets[b], Weighting::kWeights).jaccard();
    }
    const auto sets = plain_features(texts, features);
    return overlap(FeatureSet(sets[a]), FeatureSet(sets[b])).jaccard();
  };
  EXPECT_GT(score("text:word1", 0, 1), score("text:word1", 0, 2));
  EXPECT_LT(score("text:word1+tf-idf", 0, 1), score("text:word1+tf-idf", 0, 2));
}

// References, documents of other groups and documents without features are documents, too.
TEST(TfIdf, AllDocumentsCount) {
  MemoryCorpus corpus;
  corpus.add_text("r", "one two");
  corpus.end_references();
  corpus.add_text("a", "one one three", {"x", {}});
  corpus.add_text("b", "", {"y", {}});
  PairsOptions options;
  options.config.features = FeatureSpec::parse("text:word1+tf-idf");
  const FeatureExtractor extractor = make_extractor(corpus, options);
  FeatureBuffer buffer;
  extractor.extract("one one three", buffer);
  const FeatureExtractor plain(FeatureSpec::parse("text:word1"));
  FeatureBuffer same;
  plain.extract("one three", same);
  ASSERT_EQ(buffer.features().size(), 2U);
  const std::set<std::uint64_t> expected = {with_weight(same.features()[0], 2 * 1'321'928),
                                            with_weight(same.features()[1], 2'000'000)};
  EXPECT_EQ(std::set(buffer.features().begin(), buffer.features().end()), expected);
  EXPECT_EQ(extractor.occurrence_weight(same.features()[0]), 1'321'928U);
  EXPECT_EQ(buffer.occurrences().size(), 3U);
  EXPECT_EQ(buffer.occurrences()[2], same.features()[1]);
  EXPECT_FALSE(extractor.drops(same.features()[0]));
}

// Counted before, the frequencies give what a run gives that counts itself.
TEST(TfIdf, FrequenciesOfTheSameDocumentsGiveTheSamePairs) {
  register_test_rules();
  for (const char* spelling : {"text:word1+tf-idf", "text:char4+tf-idf+seed:3", "values+tf-idf",
                               "own:ascii-words2+tf-idf"}) {
    SCOPED_TRACE(spelling);
    PairsOptions options;
    options.config.features = FeatureSpec::parse(spelling);
    options.threshold = Threshold::parse("0.5");
    const bool are_values = options.config.features.values() != nullptr;
    std::vector<std::string> texts = texts_with_passage(6);
    const auto pairs = [&] {
      MemoryCorpus corpus = corpus_of(texts, are_values);
      std::vector<ScoredPair> found;
      find_pairs(corpus, options, [&](const ScoredPair& pair) { found.push_back(pair); });
      return found;
    };
    const std::vector<ScoredPair> counted_by_run = pairs();
    EXPECT_GT(counted_by_run.size(), 20U);
    MemoryCorpus corpus = corpus_of(texts, are_values);
    const auto frequencies = count_frequencies(corpus, options);
    std::reverse(texts.begin(), texts.end());
    options.threads = 1;
    MemoryCorpus reversed = corpus_of(texts, are_values);
    EXPECT_EQ(count_frequencies(reversed, options), frequencies);
    std::reverse(texts.begin(), texts.end());

    options.config.features.frequencies = frequencies;
    MemoryCorpus again = corpus_of(texts, are_values);
    EXPECT_EQ(count_frequencies(again, options), frequencies);  // of the features without weights
    EXPECT_EQ(pairs(), counted_by_run);
  }
}

TEST(TfIdf, FrequenciesAreThoseOfAllDocuments) {
  MemoryCorpus corpus;
  corpus.add_text("r", "one two");
  corpus.end_references();
  corpus.add_text("a", "one one three", {"x", {}});
  corpus.add_text("b", "", {"y", {}});
  SimilarityOptions options;
  options.config.features = FeatureSpec::parse("text:word1");
  const auto frequencies = count_frequencies(corpus, options);
  EXPECT_EQ(frequencies->documents(), 3U);
  EXPECT_EQ(frequencies->rest(), 1U);
  ASSERT_EQ(frequencies->size(), 1U);
  const FeatureExtractor plain(options.config.features);
  FeatureBuffer buffer;
  plain.extract("one", buffer);
  EXPECT_EQ(frequencies->frequency(buffer.features()[0]), 2U);

  MemoryCorpus empty;
  EXPECT_THROW(count_frequencies(empty, options), Error);
  for (const char* spelling : {"text:word1+bag", "values+weights", "truth:w1", "image:pdq"}) {
    options.config.features = FeatureSpec::parse(spelling);
    EXPECT_THROW(count_frequencies(corpus, options), Error) << spelling;
  }
}

// More features than there is room for: those of the fewest documents are left out, all of them.
TEST(TfIdf, OnlyTheMostFrequentFeaturesAreNamed) {
  if (kSanitized) GTEST_SKIP() << "takes long under a sanitizer";
  constexpr int kWords = 300'000;
  std::string all, half, few;
  for (int i = 0; i < kWords; ++i) {
    const std::string word = "w" + std::to_string(i) + " ";
    all += word;
    if (i % 2 == 0) half += word;
    if (i % 1000 == 0) few += word;
  }
  MemoryCorpus corpus;
  for (const std::string* text : {&all, &all, &half, &few, &few}) corpus.add_text("", *text);
  SimilarityOptions options;
  options.config.features = FeatureSpec::parse("text:word1");
  const auto frequencies = count_frequencies(corpus, options);
  EXPECT_EQ(frequencies->rest(), 2U);
  // Some words share their counters with others, and seem to be of more documents.
  EXPECT_GE(frequencies->size(), kWords / 2U);
  EXPECT_LE(frequencies->size(), kWords / 2U + 100);
  const FeatureExtractor plain(options.config.features);
  FeatureBuffer buffer;
  plain.extract("w0 w2 w1", buffer);
  EXPECT_EQ(frequencies->frequency(buffer.features()[0]), 5U);
  EXPECT_EQ(frequencies->frequency(buffer.features()[1]), 3U);
  EXPECT_EQ(frequencies->frequency(buffer.features()[2]), 2U);
}

TEST(TfIdf, NeedsACorpus) {
  EXPECT_THROW(FeatureExtractor(FeatureSpec::parse("text:word5+tf-idf")), Error);
  EXPECT_THROW(FeatureExtractor(FeatureSpec::parse("text:word5"),
                                std::make_shared<internal::FrequencyCounter>()),
               Error);
}

}  // namespace
}  // namespace benzer
