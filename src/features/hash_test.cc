// Tests the quality of the feature hash, on which sketches and exact verification rely.
#include "features/hash.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "benzer/features.h"

#include "base/sanitized.h"

namespace benzer::internal {
namespace {

// Returns the feature of a shingle of words.
std::uint64_t feature(const std::vector<std::string>& words, const HashKeys& keys) {
  std::vector<std::uint64_t> hashes;
  for (const std::string& word : words) hashes.push_back(hash_unit(word, keys));
  return finish(combine(hashes) + keys.of_count(words.size()));
}

std::string number(std::size_t i) { return "w" + std::to_string(i); }

// Returns the features of n shingles that are as similar as possible: one word of five counts up.
std::vector<std::uint64_t> alike(std::size_t n, std::size_t place) {
  const HashKeys keys(0);
  std::vector<std::uint64_t> out;
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<std::string> words = {"one", "shingle", "of", "five", "words"};
    words[place] = number(i);
    out.push_back(feature(words, keys));
  }
  return out;
}

// The number of heads of n fair coins has the mean n/2 and the standard deviation sqrt(n)/2, and is
// more than 6 of these away with probability 2e-9. The tests below throw a few thousand such series
// of coins, so about one in 100,000 implementations of a perfect hash would fail.
void expect_fair(std::size_t heads, std::size_t n) {
  const double deviation = std::abs(static_cast<double>(heads) - static_cast<double>(n) / 2);
  EXPECT_LT(deviation, 6 * std::sqrt(static_cast<double>(n)) / 2);
}

void expect_fair_bits(const std::vector<std::uint64_t>& values) {
  for (int bit = 0; bit < 64; ++bit) {
    std::size_t heads = 0;
    for (const std::uint64_t value : values) heads += value >> bit & 1;
    SCOPED_TRACE("bit " + std::to_string(bit));
    expect_fair(heads, values.size());
  }
}

void expect_distinct(std::vector<std::uint64_t> features) {
  std::sort(features.begin(), features.end());
  EXPECT_EQ(std::adjacent_find(features.begin(), features.end()), features.end());
}

TEST(FeatureHash, EveryBitOfAlikeShinglesIsFair) {
  for (std::size_t place = 0; place < 5; ++place) {
    const std::vector<std::uint64_t> features = alike(20000, place);
    expect_fair_bits(features);
    std::vector<std::uint64_t> differences;
    for (std::size_t i = 1; i < features.size(); ++i) {
      differences.push_back(features[i] ^ features[i - 1]);
    }
    expect_fair_bits(differences);
  }
}

TEST(FeatureHash, ChangingOneBitOfAWordChangesEveryBitOfHalfTheFeatures) {
  const HashKeys keys(0);
  for (const int bit : {0, 1, 3, 8, 20, 33, 39}) {
    std::vector<std::uint64_t> differences;
    for (std::size_t i = 0; i < 4000; ++i) {
      std::string word = "abcdefgh" + number(i);
      const std::uint64_t before = feature({"x", word, "y"}, keys);
      word[static_cast<std::size_t>(bit / 8)] ^= static_cast<char>(1 << bit % 8);
      differences.push_back(before ^ feature({"x", word, "y"}, keys));
    }
    expect_fair_bits(differences);
  }
}

TEST(FeatureHash, TheTopBitsFillBinsEvenly) {
  // Chi-squared with 127 degrees of freedom: mean 127, standard deviation sqrt(254) = 15.9. A bound
  // of 127 + 6 * 15.9 is beyond the 1 - 1e-7 quantile.
  for (std::size_t place = 0; place < 5; ++place) {
    const std::vector<std::uint64_t> features = alike(20000, place);
    std::vector<double> bins(128);
    for (const std::uint64_t f : features) ++bins[f >> 57];
    const double expected = 20000.0 / 128;
    double sum = 0;
    for (const double bin : bins) sum += (bin - expected) * (bin - expected) / expected;
    EXPECT_LT(sum, 127 + 6 * std::sqrt(254.0));
  }
}

// By chance, two of n features of 64 bits are equal with probability n^2 / 2^65: 2e-9 for 2^18.
TEST(FeatureHash, ShinglesOfFewWordsDoNotCollide) {
  const HashKeys keys(0);
  std::vector<std::uint64_t> features;
  for (std::size_t a = 0; a < 64; ++a) {
    for (std::size_t b = 0; b < 64; ++b) {
      for (std::size_t c = 0; c < 64; ++c) {
        features.push_back(feature({number(a), number(b), number(c)}, keys));
      }
    }
  }
  expect_distinct(features);
}

TEST(FeatureHash, PatternsOfTwoWordsDoNotCancel) {
  const HashKeys keys(0);
  for (const std::size_t length : {8U, 16U, 32U}) {
    std::vector<std::uint64_t> features;
    for (std::uint32_t pattern = 0; pattern < 65536; pattern += kSanitized ? 7 : 1) {
      // The low 16 bits, repeated in the order of a Thue-Morse word where the shingle is longer:
      // the known weakness of polynomials modulo a power of two.
      if (length < 16 && pattern >= 256) break;
      std::vector<std::string> words;
      for (std::size_t i = 0; i < length; ++i) {
        const bool flip = std::popcount(i / 16) % 2 != 0;
        words.push_back(((pattern >> i % 16 & 1) != 0) != flip ? "a" : "b");
      }
      features.push_back(feature(words, keys));
    }
    expect_distinct(features);
  }
}

TEST(FeatureHash, RepeatedWordsKeepAllTheirBits) {
  const HashKeys keys(0);
  for (const std::size_t length : {2U, 4U, 5U, 8U, 16U, 32U}) {
    std::vector<std::uint64_t> features;
    for (std::size_t i = 0; i < 20000; ++i) {
      features.push_back(feature(std::vector<std::string>(length, number(i)), keys));
    }
    expect_fair_bits(features);
    expect_distinct(features);
  }
}

TEST(FeatureHash, LengthsOfUnitsCount) {
  const HashKeys keys(0);
  std::vector<std::uint64_t> hashes;
  for (std::size_t size = 0; size < 40; ++size)
    hashes.push_back(hash_unit(std::string(size, '\0'), keys));
  for (std::size_t size = 1; size < 40; ++size)
    hashes.push_back(hash_unit(std::string(size, 'a'), keys));
  expect_distinct(hashes);
}

TEST(FeatureHash, SeedsAreIndependent) {
  std::vector<std::uint64_t> differences;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    differences.push_back(feature({"some", "words"}, HashKeys(seed)) ^
                          feature({"some", "words"}, HashKeys(seed + 1)));
  }
  expect_fair_bits(differences);
}

TEST(FeatureHash, OccurrencesAreFeaturesOfTheirOwn) {
  const HashKeys keys(0);
  std::vector<std::uint64_t> features;
  for (std::uint64_t f = 1; f <= 500; ++f) {
    EXPECT_EQ(occurrence(f, 1, keys), f);
    for (std::uint64_t n = 1; n <= 40; ++n) features.push_back(occurrence(f, n, keys));
  }
  expect_distinct(features);
}

TEST(FeatureHash, PowersOfTheBase) {
  EXPECT_EQ(base_power(0), 1U);
  EXPECT_EQ(base_power(1), kBase);
  EXPECT_EQ(base_power(3), kBase * kBase * kBase);
  EXPECT_EQ(kBase % 8, 3U);
}

}  // namespace
}  // namespace benzer::internal
