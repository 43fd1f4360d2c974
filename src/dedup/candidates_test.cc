#include "dedup/candidates.h"

#include <cmath>

#include <gtest/gtest.h>

#include "benzer/sketch.h"

#include "base/test_random.h"

namespace benzer {
namespace {

// Returns the binomial lower tail, added up in the obvious way.
double tail_below(int least, int slots, double threshold) {
  double sum = 0;
  for (int equal = 0; equal < least; ++equal) {
    double term = std::pow(1 - threshold, slots - equal) * std::pow(threshold, equal);
    for (int i = 0; i < equal; ++i) term *= static_cast<double>(slots - i) / (i + 1);
    sum += term;
  }
  return sum;
}

TEST(SignatureCut, IsTheLargestThatMayBeLost) {
  for (const double threshold : {0.05, 0.3, 0.5, 0.8, 0.95, 0.99}) {
    for (const int slots : {1, 16, 128, 256}) {
      for (const double allowed : {1e-2, 1e-4, 1e-6}) {
        const SignatureCut cut = signature_cut(threshold, slots, allowed);
        EXPECT_LE(cut.loss, allowed);
        EXPECT_NEAR(cut.loss, tail_below(cut.least_equal, slots, threshold), 1e-9);
        EXPECT_GT(tail_below(cut.least_equal + 1, slots, threshold), allowed)
            << threshold << " " << slots << " " << allowed;
      }
    }
  }
  EXPECT_EQ(signature_cut(1, 128, 1e-4).least_equal, 128);  // equal sets have equal signatures
}

// Near 1 a cut at a fixed number of standard errors would lose several pairs in a thousand. Of
// 4,000 pairs exactly at the threshold a share of 1e-4 may be lost: 0.4 are expected, and more than
// 6 have a probability below 1e-5.
TEST(SignatureCut, KeepsItsPromiseNearOne) {
  for (const char* spec : {"fss:128", "kperm:128"}) {
    for (const int percent : {95, 98, 99}) {
      const MinHasher minhasher(SketchSpec::parse(spec), FeatureSpec{});
      const SignatureCut cut = signature_cut(percent / 100.0, 128, 1e-4);
      TestRandom random(static_cast<std::uint64_t>(percent));
      int lost = 0;
      for (int trial = 0; trial < 4000; ++trial) {
        // A subset: percent of 400 features, so J is exactly the threshold.
        const auto all = random.numbers(400);
        const Signature a = minhasher.sketch(all);
        const Signature b =
            minhasher.sketch(std::span(all).first(static_cast<std::size_t>(4 * percent)));
        int equal = 0;
        for (std::size_t i = 0; i < 128; ++i) equal += a.slots[i] == b.slots[i];
        lost += equal < cut.least_equal;
      }
      EXPECT_LE(lost, 6) << spec << " at 0." << percent;
    }
  }
}

}  // namespace
}  // namespace benzer
