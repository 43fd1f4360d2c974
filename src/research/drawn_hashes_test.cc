#include "research/drawn_hashes.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "benzer/error.h"
#include "benzer/features.h"
#include "benzer/research/classics/scala.h"
#include "benzer/sketch.h"

#include "base/mersenne61.h"
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
    // There are more slots than features, so all values are in it.
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

}  // namespace
}  // namespace benzer
