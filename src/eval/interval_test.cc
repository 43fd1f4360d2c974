#include "eval/interval.h"

#include <cmath>

#include <gtest/gtest.h>

#include "base/test_random.h"

namespace benzer {
namespace {

TEST(Interval, WilsonIsThePublishedOne) {
  // Newcombe 1998, table I: 81 of 263, 15 of 148, 0 of 20, 29 of 29.
  struct Case {
    double with, of, low, high;
  };
  for (const Case& c : {Case{81, 263, .2553, .3662}, Case{15, 148, .0624, .1605},
                        Case{0, 20, 0, .1611}, Case{29, 29, .8830, 1}}) {
    const Share share = wilson(c.with / c.of, c.of);
    EXPECT_NEAR(share.low, c.low, 5e-5);
    EXPECT_NEAR(share.high, c.high, 5e-5);
  }
}

TEST(Interval, NothingSeenSaysNothingAndEverythingSeenSaysAll) {
  EXPECT_EQ(share_of_documents(0, 0, 10).high, 1);
  EXPECT_EQ(share_of_documents(3, 10, 10).low, 0.3);
  EXPECT_EQ(share_of_pairs({}, 0, 0, 10).low, 0);
  const std::vector<PairsOfDocument> two = {{1, 1}, {1, 0}};
  EXPECT_EQ(share_of_pairs(two, 2, 1, 2).high, 0.5);
}

TEST(Interval, PairsOfOneDocumentSayLessThanPairsOfMany) {
  // If all pairs are found, those of one document count as one case: here a hundred cases, or one.
  const std::vector<PairsOfDocument> many(100, {1, 1});
  const std::vector<PairsOfDocument> one = {{100, 100}};
  EXPECT_NEAR(share_of_pairs(many, 100, 100, 1'000'000).low, wilson(1, 100).low, 1e-5);
  EXPECT_NEAR(share_of_pairs(one, 100, 100, 1'000'000).low, wilson(1, 1).low, 1e-5);
}

// Returns how often the interval covers the share of the whole population, from which documents are
// drawn. The pairs of a document are lost one by one, or all together.
double coverage(bool together, double recall, std::uint64_t seed, int samples) {
  constexpr std::uint32_t kPopulation = 20'000;
  constexpr std::size_t kSample = 400;
  TestRandom random(seed);
  std::vector<PairsOfDocument> documents(kPopulation);
  std::uint64_t pairs = 0, found = 0;
  const auto hit = [&] { return static_cast<double>(random.below(1'000'000)) < recall * 1e6; };
  for (PairsOfDocument& one : documents) {
    if (random.below(3) != 0) continue;  // the others have none
    one.pairs = 1 + random.below(3) * random.below(8);
    if (together) {
      one.found = hit() ? one.pairs : 0;
    } else {
      for (std::uint64_t i = 0; i < one.pairs; ++i) one.found += hit();
    }
    pairs += one.pairs;
    found += one.found;
  }
  const double truth = static_cast<double>(found) / static_cast<double>(pairs);
  int covered = 0;
  for (int s = 0; s < samples; ++s) {
    std::vector<PairsOfDocument> drawn;
    std::uint64_t x = 0, y = 0;
    for (std::size_t i = 0; i < kSample; ++i) {
      std::swap(documents[i], documents[i + random.below(kPopulation - i)]);
      drawn.push_back(documents[i]);
      x += drawn.back().pairs;
      y += drawn.back().found;
    }
    const Share share = share_of_pairs(drawn, x, y, kPopulation);
    covered += share.low <= truth && truth <= share.high;
  }
  return static_cast<double>(covered) / samples;
}

// In 2,000 samples a coverage of 0.95 has a standard error of 0.0049. The bound, 0.92, allows four
// of these, and 0.01 because the interval is approximate.
TEST(Interval, CoversTheTruthIn95Of100Samples) {
  constexpr int kSamples = 2000;
  const double bound = 0.95 - 4 * std::sqrt(0.95 * 0.05 / kSamples) - 0.01;
  for (const bool together : {false, true})
    for (const double recall : {0.5, 0.9, 0.99, 0.999})
      EXPECT_GE(coverage(together, recall, 17, kSamples), bound)
          << (together ? "together " : "one by one ") << recall;
}

}  // namespace
}  // namespace benzer
