#include "benzer/banding.h"

#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "benzer/sketch.h"

#include "base/test_random.h"

namespace benzer {
namespace {

TEST(Banding, ProbabilityIsTheKnownCurve) {
  EXPECT_NEAR((Banding{16, 6}).candidate_probability(0.8), 0.9923, 1e-4);
  EXPECT_NEAR((Banding{9, 13}).candidate_probability(0.8), 0.39884, 1e-5);
  EXPECT_NEAR((Banding{14, 8}).candidate_probability(0.8), 0.9236, 1e-4);
  EXPECT_EQ((Banding{16, 6}).candidate_probability(0), 0);
  EXPECT_EQ((Banding{16, 6}).candidate_probability(1), 1);
  EXPECT_NEAR((Banding{20, 13}).candidate_probability(1e-3) / 2e-38, 1, 1e-9);  // keeps its digits
}

TEST(Banding, KeysDependOnBandAndOnEverySlot) {
  const Banding banding{4, 3};
  std::vector<std::uint64_t> slots(12, 7);  // equal slots in every band
  std::vector<std::uint64_t> keys(4);
  banding.keys(slots, keys);
  EXPECT_EQ(std::set<std::uint64_t>(keys.begin(), keys.end()).size(), 4u);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    auto changed = slots;
    changed[i] ^= std::uint64_t{1} << 63;
    std::vector<std::uint64_t> other(4);
    banding.keys(changed, other);
    for (std::size_t band = 0; band < 4; ++band)
      EXPECT_EQ(other[band] == keys[band], band != i / 3) << "slot " << i << ", band " << band;
  }
}

// The planner uses the S-curve of independent minima for both sketches. For each cell of 2,000
// pairs the share of candidates must be within 5.5 standard errors of the curve (false alarm 4e-8
// per cell), or above it: FSS finds more than the curve says for small sets.
TEST(Banding, CurveHoldsForBothSketches) {
  constexpr int kTrials = 2000;
  const Banding banding{16, 6};
  for (const char* spec : {"fss:128", "kperm:128"}) {
    const MinHasher minhasher(SketchSpec::parse(spec), FeatureSpec{});
    for (const std::size_t n : {10u, 60u, 400u}) {
      for (const double share : {0.75, 0.85, 0.9, 0.95}) {
        const auto shared = static_cast<std::size_t>(share * static_cast<double>(n));
        const double jaccard = static_cast<double>(shared) / static_cast<double>(2 * n - shared);
        TestRandom random(n * 977 + shared);
        std::vector<std::uint64_t> keys_a(16), keys_b(16);
        int found = 0;
        for (int trial = 0; trial < kTrials; ++trial) {
          const auto all = random.numbers(2 * n - shared);
          const std::span<const std::uint64_t> view(all);
          banding.keys(minhasher.sketch(view.first(n)).slots, keys_a);
          banding.keys(minhasher.sketch(view.last(n)).slots, keys_b);
          bool candidate = false;
          for (std::size_t band = 0; band < 16; ++band) candidate |= keys_a[band] == keys_b[band];
          found += candidate;
        }
        const double expected = banding.candidate_probability(jaccard);
        const double error = 5.5 * std::sqrt(expected * (1 - expected) / kTrials) + 2.0 / kTrials;
        EXPECT_GT(found / double{kTrials}, expected - error)
            << spec << " n=" << n << " " << jaccard;
      }
    }
  }
}

}  // namespace
}  // namespace benzer
