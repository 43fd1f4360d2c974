#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>

#include <gtest/gtest.h>
#include <simdjson.h>

#include "benzer/error.h"
#include "benzer/runtime.h"
#include "benzer/sketch.h"

#include "base/test_random.h"
#include "sketch/kernels/kernels.h"
#include "sketch/sketch_test_util.h"

namespace benzer {
namespace {

TEST(MinHasher, ReproducesTheGoldenVectorsOnEveryCpuLevel) {
  simdjson::dom::parser parser;
  const simdjson::dom::element golden =
      parser.load(BENZER_SOURCE_DIR "/tests/golden/sketches.json");
  const CpuLevel level_before = active_cpu_level();
  for (const CpuLevel level : available_cpu_levels()) {
    force_cpu_level(level);
    std::size_t cases = 0;
    for (const simdjson::dom::element item : golden["cases"]) {
      const std::string spec{std::string_view(item["sketch"])};
      const auto count = static_cast<std::size_t>(std::int64_t(item["features"]));
      std::vector<std::uint64_t> expected;
      for (const simdjson::dom::element slot : item["slots"])
        expected.push_back(std::stoull(std::string{std::string_view(slot)}));
      std::vector<std::uint64_t> features = TestRandom(count).numbers(count);
      std::string_view kind;
      if (item["weights"].get(kind)) {
        EXPECT_EQ(sketch(spec, features).slots, expected)
            << spec << " of " << count << " features, " << cpu_level_name(level);
      } else {
        EXPECT_EQ(weighted_sketch(spec, with_weights(features, kind == "near")).slots, expected)
            << spec << " of " << count << " features with weights, " << kind;
      }
      ++cases;
    }
    EXPECT_GT(cases, 100u);
  }
  force_cpu_level(level_before);
}

class EveryScheme : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Sketches, EveryScheme,
                         testing::Values("fss:128", "fss:1", "fss:65", "kperm:128", "kperm:3",
                                         "linear:20", "linear:7+max", "mod-prime:20",
                                         "multiply-shift:20+seed:3", "java-random:20",
                                         "java-random:20+max", "bottomk:1", "bottomk:128",
                                         "single:50"));

TEST_P(EveryScheme, IgnoresOrderAndRepeats) {
  auto features = TestRandom(1).numbers(300);
  const Signature once = sketch(GetParam(), features);
  std::reverse(features.begin(), features.end());
  features.insert(features.end(), features.begin(), features.begin() + 100);
  EXPECT_EQ(sketch(GetParam(), features), once);
}

TEST_P(EveryScheme, MergesToTheSketchOfTheUnion) {
  for (const std::size_t size : {1u, 3u, 20u, 100u, 1000u}) {
    const auto all = TestRandom(size).numbers(2 * size);
    const std::vector<std::uint64_t> left(all.begin(), all.begin() + static_cast<long>(size) + 1);
    const std::vector<std::uint64_t> right(all.begin() + static_cast<long>(size) / 2, all.end());
    EXPECT_EQ(merge(sketch(GetParam(), left), sketch(GetParam(), right)), sketch(GetParam(), all));
    EXPECT_EQ(merge(sketch(GetParam(), left), sketch(GetParam(), {})), sketch(GetParam(), left));
  }
}

TEST_P(EveryScheme, AddsPieceByPieceAndIgnoresManyRepeats) {
  const FeatureSpec features;
  const MinHasher hasher(SketchSpec::parse(GetParam()), features);
  for (const std::size_t size : {1u, 3u, 100u, 3000u}) {
    const auto all = TestRandom(size).numbers(size);
    const std::vector<std::uint64_t> once = hasher.sketch(all).slots;
    std::vector<std::uint64_t> slots(once.size(), kEmptySlot), repeated;
    for (std::size_t begin = 0; begin < all.size(); begin += 700)
      hasher.add(std::span(all).subspan(begin, std::min<std::size_t>(700, size - begin)), slots);
    EXPECT_EQ(slots, once) << size;
    // More than 32 features for each slot: after the first round repeats are removed.
    while (repeated.size() < 40 * slots.size())
      repeated.insert(repeated.end(), all.begin(), all.end());
    EXPECT_EQ(hasher.sketch(repeated).slots, once) << size;
  }
}

TEST_P(EveryScheme, FillsEverySlotOfANonEmptySet) {
  for (const std::size_t size : {1u, 2u, 10u}) {
    const Signature signature = sketch(GetParam(), TestRandom(7).numbers(size));
    const bool has_positions = signature.estimator == Estimator::kEqualSlots;
    const std::size_t empty =
        has_positions || size > signature.slots.size() ? 0 : signature.slots.size() - size;
    EXPECT_EQ(std::count(signature.slots.begin(), signature.slots.end(), kEmptySlot), empty);
    EXPECT_FALSE(signature.empty());
  }
  EXPECT_TRUE(sketch(GetParam(), {}).empty());
}

TEST(MinHasher, EmptySetsAreSimilarToNothing) {
  const Signature empty = sketch("fss:128", {});
  EXPECT_EQ(estimate_jaccard(empty, empty), 0);
  EXPECT_EQ(estimate_jaccard(empty, sketch("fss:128", {1, 2, 3})), 0);
}

TEST(MinHasher, RefusesToCompareDifferentSchemes) {
  const std::vector<std::uint64_t> features = {1, 2, 3};
  const Signature fss = sketch("fss:128", features);
  EXPECT_THROW(estimate_jaccard(fss, sketch("kperm:128", features)), Error);
  EXPECT_THROW(merge(fss, sketch("fss:64", features)), Error);
  FeatureSpec seeded;
  seeded.seed = 1;
  EXPECT_THROW(estimate_jaccard(fss, MinHasher(SketchSpec{}, seeded).sketch(features)), Error);
}

// Estimates the similarity of many pairs of sets of size n with a known Jaccard similarity: the
// mean of the estimates must be unbiased and their error at most that of k independent minima.
//
// Bounds. One estimate has variance at most v = J (1 - J) / k, so the mean of T has a standard
// error of at most sqrt(v / T); a bound of 5.5 of them gives a false alarm with probability 4e-8
// per cell. The mean square error over T trials has mean at most v and, for a distribution near the
// normal one, a standard deviation of v sqrt(2 / T); a bound of 6 of these gives 1e-9. Each cell
// has a fixed seed, so the test is the same every time.
TEST(MinHasher, EstimatesWithoutBiasAndWithinTheClassicalError) {
  constexpr int kTrials = 1500;
  constexpr int kSlots = 128;
  for (const char* spec : {"fss:128", "kperm:128"}) {
    for (const std::size_t n : {10u, 50u, 300u}) {
      for (const double share : {0.3, 0.67, 0.9}) {
        const auto shared = static_cast<std::size_t>(share * static_cast<double>(n));
        const double jaccard = static_cast<double>(shared) / static_cast<double>(2 * n - shared);
        TestRandom random(n * 1000 + shared);
        const MinHasher minhasher(SketchSpec::parse(spec), FeatureSpec{});
        double sum = 0, squares = 0;
        for (int trial = 0; trial < kTrials; ++trial) {
          const auto all = random.numbers(2 * n - shared);
          const std::span<const std::uint64_t> view(all);
          const double estimate =
              estimate_jaccard(minhasher.sketch(view.first(n)), minhasher.sketch(view.last(n)));
          sum += estimate - jaccard;
          squares += (estimate - jaccard) * (estimate - jaccard);
        }
        const double variance = jaccard * (1 - jaccard) / kSlots;
        EXPECT_LT(std::abs(sum / kTrials), 5.5 * std::sqrt(variance / kTrials))
            << spec << " n=" << n << " J=" << jaccard;
        EXPECT_LT(squares / kTrials, variance * (1 + 6 * std::sqrt(2.0 / kTrials)))
            << spec << " n=" << n << " J=" << jaccard;
      }
    }
  }
}

TEST(Kernels, CountEqualAgreesWithALoopOnEveryLevel) {
  TestRandom random(3);
  for (const CpuLevel level : available_cpu_levels()) {
    for (const std::size_t n : {0u, 1u, 63u, 64u, 65u, 127u, 128u, 129u, 4096u, 64u * 256u + 5u}) {
      std::vector<std::uint8_t> a(n), b(n);
      for (std::size_t i = 0; i < n; ++i) {
        a[i] = static_cast<std::uint8_t>(random.below(4));
        b[i] = static_cast<std::uint8_t>(random.below(4));
      }
      std::uint32_t expected = 0;
      for (std::size_t i = 0; i < n; ++i) expected += a[i] == b[i];
      EXPECT_EQ(kernels_for(level).count_equal(a.data(), b.data(), n), expected) << n;
      EXPECT_EQ(kernels_for(level).count_equal(a.data(), a.data(), n), n);
    }
  }
}

TEST(Kernels, CountEqualHalvesAgreesWithALoopOnEveryLevel) {
  TestRandom random(4);
  for (const CpuLevel level : available_cpu_levels()) {
    for (const std::size_t n : {0u, 1u, 31u, 32u, 33u, 64u, 127u, 2048u}) {
      std::vector<std::uint8_t> a(n), b(n);
      std::uint32_t expected = 0;
      for (std::size_t i = 0; i < n; ++i) {
        a[i] = static_cast<std::uint8_t>(random.next());
        // The halves differ in one bit, in many, or not at all.
        b[i] = static_cast<std::uint8_t>(a[i] ^ (1 << random.below(12)) ^
                                         (random.below(4) == 0 ? random.next() : 0));
        expected += (a[i] & 0x0F) == (b[i] & 0x0F);
        expected += (a[i] & 0xF0) == (b[i] & 0xF0);
      }
      EXPECT_EQ(kernels_for(level).count_equal_halves(a.data(), b.data(), n), expected) << n;
      EXPECT_EQ(kernels_for(level).count_equal_halves(a.data(), a.data(), n), 2 * n);
      std::uint32_t bits = 0;
      for (std::size_t i = 0; i < n / 8 * 8; ++i)
        bits += static_cast<std::uint32_t>(std::popcount(static_cast<std::uint8_t>(a[i] ^ b[i])));
      EXPECT_EQ(kernels_for(level).count_different_bits(a.data(), b.data(), n / 8), bits);
    }
  }
}

TEST(MinHasher, SketchesTheSameWithAFlag) {
  const std::atomic<bool> goes_on{false}, stops{true};
  const std::vector<std::uint64_t> features = TestRandom(9).numbers(200'000);
  for (const std::string_view spec : {"fss:64", "kperm:16", "bottomk:32"}) {
    const MinHasher hasher(SketchSpec::parse(spec), FeatureSpec::parse("values"));
    std::vector<std::uint64_t> whole(static_cast<std::size_t>(hasher.slots())), parts = whole;
    hasher.sketch(features, whole);
    hasher.sketch(features, parts, &goes_on);
    EXPECT_EQ(parts, whole) << spec;
    EXPECT_THROW(hasher.sketch(features, parts, &stops), Error) << spec;
  }
}

}  // namespace
}  // namespace benzer
