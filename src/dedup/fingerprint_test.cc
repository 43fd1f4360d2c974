// Tests that no input can be made so that different documents, or groups, are taken for equal.
#include "dedup/fingerprint.h"

#include <gtest/gtest.h>

#include "dedup/dedup_test_util.h"
#include "dedup/distinct_sets.h"
#include "dedup/verify_pass.h"

namespace benzer {
namespace {

// Makes two sets with equal sums of features, of any function of the lower or of the upper halves,
// and of the products of the halves. The halves are from two arithmetic progressions, combined so
// that all of these cancel out.
std::pair<std::vector<std::uint64_t>, std::vector<std::uint64_t>> with_equal_sums(
    std::uint64_t mask, TestRandom& random) {
  const std::uint64_t low_step = random.below(1 << 10) << 17, high_step = random.below(1 << 29);
  std::vector<std::uint64_t> plus, minus;
  for (const std::uint64_t i : {0, 1}) {
    for (const std::uint64_t j : {0, 1, 2, 3}) {
      const std::uint64_t low = (i * low_step) ^ mask, high = j * high_step;
      ((i == 0) == (j == 0 || j == 3) ? plus : minus).push_back(high << 32 | low);
    }
  }
  return {plus, minus};
}

TEST(Fingerprint, CannotBeMadeEqualByEqualSums) {
  TestRandom random(1);
  for (const bool is_secret : {false, true}) {
    const Fingerprinter fingerprint(is_secret);
    for (const std::uint64_t mask : {std::uint64_t{0}, std::uint64_t{0x9E3779B9}}) {
      for (int i = 0; i < 100; ++i) {
        const auto [a, b] = with_equal_sums(mask, random);
        EXPECT_NE(fingerprint(a, 0).sum, fingerprint(b, 0).sum);
        EXPECT_NE(fingerprint(a, 0).product_sum, fingerprint(b, 0).product_sum);
      }
    }
  }
}

TEST(Fingerprint, IsOfTheBagAndTheGroup) {
  TestRandom random(2);
  for (const bool is_secret : {false, true}) {
    const Fingerprinter fingerprint(is_secret);
    std::vector<std::uint64_t> features = random.numbers(50);
    const FeatureFingerprint whole = fingerprint(features, 0);
    EXPECT_NE(whole, fingerprint(features, fingerprint.group("a")));
    std::reverse(features.begin(), features.end());
    EXPECT_EQ(whole, fingerprint(features, fingerprint.group("")));
    features.push_back(features.front());
    EXPECT_NE(whole, fingerprint(features, 0));
  }
  const std::string name(1000, 'x');
  EXPECT_EQ(Fingerprinter(true).group(name), Fingerprinter(true).group(name));
  EXPECT_NE(Fingerprinter(true).group(name), Fingerprinter(false).group(name));
}

// The facts of all documents are the same, as in a stage that was forged.
TEST(Collapse, ReadsDocumentsAgainWhoseFingerprintsOthersCouldMake) {
  const std::vector<std::string> texts = {"a b c d e f", "g h i j k l", "a b c d e f",
                                          "m n o p q r", "g h i j k l"};
  for (const bool is_secret : {true, false}) {
    MemoryCorpus corpus = corpus_of(texts);
    const SimilarityOptions options;
    const FeatureExtractor extractor(options.config.features);
    Workspace workspace;
    SketchTable table(0, 0, 0, workspace);
    SketchRows rows;
    const Fingerprinter fingerprint(is_secret);
    for (std::size_t i = 0; i < texts.size(); ++i)
      rows.facts.push_back({fingerprint(std::vector<std::uint64_t>{1, 2}, 0), 11, 0, 2, 0});
    table.append(rows);
    table.has_secret_fingerprints = is_secret;
    const DistinctSets sets = collapse(corpus, extractor, table, KeepOrder(), options);
    if (is_secret) {
      EXPECT_EQ(sets.exact_duplicates, 4U);  // secret fingerprints are trusted
    } else {
      EXPECT_EQ(sets.set_of, (std::vector<SetNumber>{0, 1, 0, 2, 1}));
      EXPECT_EQ(sets.exact_duplicates, 2U);
    }
  }
}

// Candidates are found by sums of band keys and hashes of groups, and inputs can make such sums
// equal.
TEST(Verifier, ComparesNoDocumentsOfDifferentGroups) {
  MemoryCorpus corpus;
  for (const char* group : {"x", "x", "y", ""})
    corpus.add_text("", "the same words in all of them", {group, {}});
  const SimilarityOptions options;
  const FeatureExtractor extractor(options.config.features);
  Workspace workspace;
  SketchTable table(0, 0, 0, workspace);
  DistinctSets sets;
  sets.document = {0, 1, 2, 3};
  Verifier verifier({corpus, extractor, table, sets}, 1 << 20, options, true);
  EXPECT_EQ(verifier.compare(0, 1, 0), 1.0);
  EXPECT_EQ(verifier.compare(0, 2, 0), std::nullopt);
  EXPECT_EQ(verifier.compare(1, 3, 3), std::nullopt);
  EXPECT_EQ(verifier.compare(2, 3, 2), std::nullopt);
  EXPECT_TRUE(verifier.take_below().empty());
}

}  // namespace
}  // namespace benzer
