#include "sketch/darts.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "benzer/error.h"
#include "benzer/similarity.h"

#include "base/test_random.h"
#include "sketch/sketch_test_util.h"

namespace benzer {
namespace {

constexpr Weighting kWeights = Weighting::kWeights;

TEST(Darts, IgnoreTheOrder) {
  std::vector<std::uint64_t> features = with_weights(TestRandom(1).numbers(300), true);
  const Signature once = weighted_sketch("fss:100", features);
  std::reverse(features.begin(), features.end());
  EXPECT_EQ(weighted_sketch("fss:100", features), once);
}

TEST(Darts, OfNoFeaturesAreEmptySlots) {
  EXPECT_TRUE(weighted_sketch("fss:7", {}).empty());
  EXPECT_EQ(weighted_sketch("fss:3", {}).slots, std::vector<std::uint64_t>(3, kEmptySlot));
}

// The lightest and the heaviest documents that are allowed fill all of the most slots.
TEST(Darts, FillAllSlots) {
  std::vector<std::uint64_t> heavy;
  for (std::uint64_t i = 0; i < 90; ++i)
    heavy.push_back(with_weight(TestRandom(i).next(), 99'999'000 * kUnitWeight));
  for (const auto& features :
       {std::vector{with_weight(1, 1)}, heavy,
        std::vector{with_weight(1, 1),
                    with_weight(std::uint64_t{1} << 40, 99'999'000 * kUnitWeight)}}) {
    const Signature signature = weighted_sketch("fss:4096", features);
    EXPECT_EQ(std::count(signature.slots.begin(), signature.slots.end(), kEmptySlot), 0);
  }
}

TEST(Darts, MergeToTheSketchOfTheLargerWeights) {
  TestRandom random(3);
  for (const std::size_t size : {1u, 3u, 20u, 400u}) {
    std::vector<std::uint64_t> left, right, both;
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint64_t feature = random.next();
      const std::uint64_t a = 1 + random.below(5'000'000), b = 1 + random.below(5'000'000);
      left.push_back(with_weight(feature, a));
      if (random.below(2) == 0) right.push_back(with_weight(feature, b));
      both.push_back(right.empty() || right.back() >> 20 != feature >> 20
                         ? left.back()
                         : std::max(left.back(), right.back()));
    }
    if (right.empty()) continue;
    EXPECT_EQ(merge(weighted_sketch("fss:64", left), weighted_sketch("fss:64", right)),
              weighted_sketch("fss:64", both));
  }
}

struct WeightedPair {
  std::vector<std::uint64_t> a, b;
};

// Two documents with weights of a kind, in which about a third of the features differ.
WeightedPair random_pair(TestRandom& random, int kind) {
  const auto weight = [&]() -> std::uint64_t {
    switch (kind) {
      case 0:  // one weight for all, as without weights
        return kUnitWeight;
      case 1:  // some heavy ones
        return 500'000 + random.below(1'000'000) + (random.below(20) == 0 ? 40'000'000 : 0);
      case 2:  // tiny, as frequencies are
        return 1 + random.below(50);
      default:  // any size
        return std::uint64_t{1} << random.below(46);
    }
  };
  WeightedPair out;
  for (int i = 0; i < 30; ++i) {
    const std::uint64_t feature = random.next();
    const std::uint64_t first = weight(), second = random.below(2) == 0 ? first : weight();
    const std::uint64_t side = random.below(6);
    if (side != 0) out.a.push_back(with_weight(feature, first));
    if (side != 1) out.b.push_back(with_weight(feature, second));
  }
  return out;
}

// Each of n pairs has k independent slots, which agree with the probability J of the pair. So the
// sum of the agreeing slots has the mean sum k J and the variance sum k J (1 - J), and is within
// five standard deviations of the mean but once in a million. The sum of squared errors of the
// estimates is compared in the same way: the square of a sum of k independent +-errors has a fourth
// moment of at most 3 v^2 + v / k^2, where v = J (1 - J) / k is its variance.
TEST(Darts, EstimateWithoutBiasAndWithTheVarianceOfIndependentSlots) {
  constexpr int kPairs = 1500;
  constexpr double kSlots = 64;
  for (int kind = 0; kind < 4; ++kind) {
    TestRandom random(static_cast<std::uint64_t>(kind));
    double error = 0, squares = 0, variance = 0, spread = 0;
    for (int i = 0; i < kPairs; ++i) {
      const auto [a, b] = random_pair(random, kind);
      const double exact = overlap(FeatureSet(a), FeatureSet(b), kWeights).jaccard();
      const double estimate =
          estimate_jaccard(weighted_sketch("fss:64", a), weighted_sketch("fss:64", b));
      const double v = exact * (1 - exact) / kSlots;
      error += estimate - exact;
      squares += (estimate - exact) * (estimate - exact);
      variance += v;
      spread += 2 * v * v + v / (kSlots * kSlots);
    }
    EXPECT_LT(std::fabs(error), 5 * std::sqrt(variance)) << "weights of kind " << kind;
    EXPECT_LT(std::fabs(squares - variance), 5 * std::sqrt(spread)) << "weights of kind " << kind;
  }
}

// Different slots agree in their lowest four bits once in 16 times, also in heavy documents, whose
// ranks are short. The documents share nothing.
TEST(Darts, HaveRandomLowestBits) {
  for (const std::uint64_t weight : {std::uint64_t{1}, kUnitWeight, 99'999'000 * kUnitWeight}) {
    std::array<int, 16> seen{};
    constexpr int kDocuments = 200, kSlots = 128;
    TestRandom random(9);
    for (int i = 0; i < kDocuments; ++i) {
      std::vector<std::uint64_t> features;
      for (int j = 0; j < 80; ++j) features.push_back(with_weight(random.next(), weight));
      for (const std::uint64_t slot : weighted_sketch("fss:128", features).slots) ++seen[slot & 15];
    }
    // The sum of squares has a chi-squared distribution with 15 degrees of freedom, which is above
    // 60 once in 4 million times.
    const double expected = kDocuments * kSlots / 16.0;
    double chi = 0;
    for (const int count : seen) chi += (count - expected) * (count - expected) / expected;
    EXPECT_LT(chi, 60) << weight;
  }
}

TEST(Darts, HaveAFingerprintOfTheirOwn) {
  const Signature plain = sketch("fss:64", {1, 2});
  EXPECT_THROW(estimate_jaccard(plain, weighted_sketch("fss:64", {with_weight(1, 1)})), Error);
  for (const char* spec : {"kperm:64", "linear:64", "bottomk:64", "single:64"})
    EXPECT_THROW(weighted_sketch(spec, {}), Error) << spec;
}

}  // namespace
}  // namespace benzer
