#include "sketch/drawn_hashes.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "benzer/classics/scala.h"
#include "benzer/error.h"
#include "benzer/features.h"
#include "benzer/sketch.h"

#include "base/mersenne61.h"
#include "base/sanitized.h"
#include "base/test_random.h"
#include "sketch/sketch_test_util.h"

namespace benzer {
namespace {

TEST(DrawnHashes, JavaRandomOnDjb2aIsTheSignatureOfTheBlog) {
  const std::string text = "The quick brown fox jumps over the lazy dog, sample document";
  const FeatureExtractor extractor(FeatureSpec::parse("text:shingle3+djb2a"));
  FeatureBuffer buffer;
  extractor.extract(text, buffer);
  const std::vector<std::uint64_t> features(buffer.features().begin(), buffer.features().end());
  const auto expected = classics::scala::MinHash(1337, 3, 100).hash(text);
  const Signature signature = sketch("java-random:100", features);
  ASSERT_EQ(signature.slots.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(static_cast<std::int32_t>(static_cast<std::uint32_t>(signature.slots[i] >> 16) ^
                                        0x80000000u),
              expected[i]);
}

TEST(DrawnHashes, ArithmeticModuloTheMersennePrimeIsExact) {
  TestRandom random(1);
  __extension__ typedef unsigned __int128 Wide;
  for (int i = 0; i < 10'000; ++i) {
    const auto draw = [&] {
      return i < 8 ? (kMersenne61 - 1) * ((i >> random.below(3)) & 1) : random.next() % kMersenne61;
    };
    const std::uint64_t a = draw(), x = draw(), b = draw();
    EXPECT_EQ(linear_mersenne61(a, x, b),
              static_cast<std::uint64_t>((static_cast<Wide>(a) * x + b) % kMersenne61));
    const std::uint64_t any = random.next() | (i % 2 ? ~std::uint64_t{0} << random.below(64) : 0);
    EXPECT_EQ(mod_mersenne61(any), any % kMersenne61);
  }
  EXPECT_EQ(mod_mersenne61(~std::uint64_t{0}), ~std::uint64_t{0} % kMersenne61);
}

TEST(DrawnHashes, SmallestAreTheSmallestDifferentOnes) {
  TestRandom random(2);
  for (const std::size_t size : {0u, 1u, 5u, 49u, 50u, 51u, 1000u}) {
    std::vector<std::uint64_t> features = random.numbers(size);
    features.insert(features.end(), features.begin(), features.end());
    // With as many slots as there are features, all values are there.
    const std::vector<std::uint64_t> all = sketch("bottomk:4096", features).slots;
    const std::vector<std::uint64_t> few = sketch("bottomk:50", features).slots;
    EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
    EXPECT_EQ(std::set(all.begin(), all.end()).size(), size + (size < all.size()));
    EXPECT_TRUE(std::equal(few.begin(), few.end(), all.begin()));
  }
}

TEST(DrawnHashes, OtherSeedsAndMaximaAreOtherFunctions) {
  const std::vector<std::uint64_t> features = TestRandom(3).numbers(100);
  for (const std::string name :
       {"linear:50", "mod-prime:50", "multiply-shift:50", "java-random:50"}) {
    const Signature plain = sketch(name, features);
    EXPECT_THROW(estimate_jaccard(plain, sketch(name + "+max", features)), Error);
    EXPECT_THROW(estimate_jaccard(plain, sketch(name + "+seed:5", features)), Error);
    for (const char* modifier : {"+max", "+seed:5"}) {
      const Signature other = sketch(name + modifier, features);
      int equal = 0;
      for (std::size_t i = 0; i < 50; ++i) equal += plain.slots[i] == other.slots[i];
      EXPECT_LE(equal, 2) << name << modifier;
    }
  }
}

TEST(Estimators, SetsSmallerThanTheSketchAreComparedExactly) {
  const std::vector<std::uint64_t> all = TestRandom(4).numbers(30);
  const std::vector<std::uint64_t> a(all.begin(), all.begin() + 20), b(all.begin() + 10, all.end());
  EXPECT_EQ(estimate_jaccard(sketch("bottomk:30", a), sketch("bottomk:30", b)), 10.0 / 30);
  EXPECT_EQ(estimate_jaccard(sketch("bottomk:100", a), sketch("bottomk:100", a)), 1);
  EXPECT_EQ(estimate_jaccard(sketch("bottomk:100", a), sketch("bottomk:100", {})), 0);
  // The report's: common ones of k, whatever there is.
  EXPECT_EQ(estimate_jaccard(sketch("single:20", a), sketch("single:20", b)), 10.0 / 20);
  EXPECT_EQ(estimate_jaccard(sketch("single:100", a), sketch("single:100", a)), 20.0 / 100);
  EXPECT_THROW(estimate_jaccard(sketch("single:20", a), sketch("bottomk:20", a)), Error);
}

// Pairs of similarity J = i / (2n - i), T times with features drawn anew, from a seed that is new
// in every run.
//
// Bounds. An estimate that is a mean of k indicators has a variance of at most v = J (1 - J) / k;
// drawn without replacement from U = 2n - i elements, v (U - k) / (U - 1). The sum of T independent
// estimates minus their mean, each within [-1, 1], exceeds x with a probability of at most
// exp(-x^2 / (2 (T v + x / 3))) (Bernstein), on both sides twice that. With x = 7 sqrt(T v) + 16
// that is at most 2 exp(-21.4) = 1e-9: x^2 >= 49 T v + 224 sqrt(T v) + 256, and 2 (T v + x / 3) <=
// 2 T v + 4.67 sqrt(T v) + 10.7, of which it is 24 times the first, 48 the second and 24 the third
// term. For b bits the indicators agree with the probability p = J + (1 - J) 2^-b, and the estimate
// is scaled by 1 / (1 - 2^-b).
//
// Linear families on features: they are 2-independent only, and so may have a bias; on strong
// hashes, as here, none is seen. On consecutive numbers there is one (`benzer eval hash-bias`).
class Unbiased : public ::testing::TestWithParam<const char*> {};
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
