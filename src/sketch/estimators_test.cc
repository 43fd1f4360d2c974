#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "benzer/error.h"
#include "benzer/sketch.h"

#include "base/sanitized.h"
#include "base/test_random.h"
#include "sketch/sketch_test_util.h"

namespace benzer {
namespace {

TEST(Estimators, SetsSmallerThanTheSketchAreComparedExactly) {
  const std::vector<std::uint64_t> all = TestRandom(4).numbers(30);
  const std::vector<std::uint64_t> a(all.begin(), all.begin() + 20), b(all.begin() + 10, all.end());
  EXPECT_EQ(estimate_jaccard(sketch("bottomk:30", a), sketch("bottomk:30", b)), 10.0 / 30);
  EXPECT_EQ(estimate_jaccard(sketch("bottomk:100", a), sketch("bottomk:100", a)), 1);
  EXPECT_EQ(estimate_jaccard(sketch("bottomk:100", a), sketch("bottomk:100", {})), 0);
  // The course report divides the number of common values by k, even if a set has fewer than k.
  EXPECT_EQ(estimate_jaccard(sketch("single:20", a), sketch("single:20", b)), 10.0 / 20);
  EXPECT_EQ(estimate_jaccard(sketch("single:100", a), sketch("single:100", a)), 20.0 / 100);
  EXPECT_THROW(estimate_jaccard(sketch("single:20", a), sketch("bottomk:20", a)), Error);
}

// Estimates the similarity of pairs of J = i / (2n - i), T times with features drawn anew, from a
// seed that is new in every run.
//
// Bounds. An estimate that is a mean of k indicators has a variance of at most v = J (1 - J) / k;
// drawn without replacement from U = 2n - i elements, v (U - k) / (U - 1). The sum of T independent
// estimates minus their mean, each within [-1, 1], exceeds x with a probability of at most exp(-x^2
// / (2 (T v + x / 3))) (Bernstein), on both sides twice that. With x = 7 sqrt(T v) + 16 that is at
// most 2 exp(-21.4) = 1e-9: x^2 >= 49 T v + 224 sqrt(T v) + 256, and 2 (T v + x / 3) <= 2 T v +
// 4.67 sqrt(T v) + 10.7. The terms of x^2 are at least 24, 48 and 24 times these. For b bits the
// indicators agree with the probability p = J + (1 - J) 2^-b, and the estimate is scaled by 1 / (1
// - 2^-b).
//
// Linear hash families are only 2-independent, so their estimates may have a bias. On strong
// hashes, such as features, none is seen. On consecutive numbers there is one (`benzer eval
// hash-bias`).
class Unbiased : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Sketches, Unbiased,
                         testing::Values("fss:64", "kperm:64", "linear:64", "linear:64+max",
                                         "mod-prime:64", "multiply-shift:64", "java-random:64",
                                         "java-random:64+max", "bottomk:64"));

TEST_P(Unbiased, AndSoAreItsLowestBits) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  const int trials = kSanitized ? 150 : 1000;
  const MinHasher minhasher(SketchSpec::parse(GetParam()), FeatureSpec{});
  TestRandom random(seed);
  for (const std::size_t n : {40u, 200u}) {
    for (const std::size_t common : {n / 2, n * 9 / 10}) {
      const double jaccard = static_cast<double>(common) / static_cast<double>(2 * n - common);
      double sum = 0, one_bit = 0, four_bits = 0;
      for (int trial = 0; trial < trials; ++trial) {
        const auto all = random.numbers(2 * n - common);
        const std::span<const std::uint64_t> view(all);
        const Signature a = minhasher.sketch(view.first(n)), b = minhasher.sketch(view.last(n));
        sum += estimate_jaccard(a, b) - jaccard;
        if (a.estimator != Estimator::kEqualSlots) continue;
        one_bit += estimate_jaccard(BitSignature(a, 1), BitSignature(b, 1)) - jaccard;
        four_bits += estimate_jaccard(BitSignature(a, 4), BitSignature(b, 4)) - jaccard;
      }
      const auto bound = [&](double p, double scale) {
        return scale * (7 * std::sqrt(trials * p * (1 - p) / 64) + 16);
      };
      EXPECT_LT(std::abs(sum), bound(jaccard, 1)) << n << " " << common;
      EXPECT_LT(std::abs(one_bit), bound((1 + jaccard) / 2, 2)) << n << " " << common;
      EXPECT_LT(std::abs(four_bits), bound(jaccard + (1 - jaccard) / 16, 16.0 / 15))
          << n << " " << common;
    }
  }
}

TEST(BitSignature, TakesAsManyBytesAsItSays) {
  const Signature signature = sketch("fss:100", TestRandom(5).numbers(200));
  EXPECT_EQ(BitSignature(signature, 1).bytes().size(), 13U);
  EXPECT_EQ(BitSignature(signature, 16).bytes().size(), 200U);
  EXPECT_EQ(BitSignature(signature, 3).bytes().size(), 38U);
  for (const int bits : {1, 3, 7, 8, 9, 16})
    EXPECT_EQ(estimate_jaccard(BitSignature(signature, bits), BitSignature(signature, bits)), 1);
  EXPECT_EQ(estimate_jaccard(BitSignature(sketch("fss:100", {}), 2), BitSignature(signature, 2)),
            0);
  EXPECT_THROW(BitSignature(signature, 0), Error);
  EXPECT_THROW(BitSignature(signature, 17), Error);
  EXPECT_THROW(BitSignature(sketch("bottomk:100", {1}), 4), Error);
  EXPECT_THROW(estimate_jaccard(BitSignature(signature, 2), BitSignature(signature, 4)), Error);
  EXPECT_NEAR(BitSignature::standard_error(0.5, 512, 1), 2 * std::sqrt(0.75 * 0.25 / 512), 1e-12);
}

}  // namespace
}  // namespace benzer
