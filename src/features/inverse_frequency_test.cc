#include "features/inverse_frequency.h"

#include <gtest/gtest.h>

namespace benzer::internal {
namespace {

// Golden numbers, by decimals of 60 digits: inverse_frequency() in tests/oracle/definition.py.
TEST(InverseFrequency, IsTheRoundedLogarithm) {
  constexpr struct {
    std::uint64_t documents, having, millionths;
  } kGolden[] = {{1, 1, 1'000'000},
                 {2, 1, 1'584'963},
                 {3, 1, 2'000'000},
                 {7, 1, 3'000'000},
                 {10, 1, 3'459'432},
                 {10, 3, 2'115'477},
                 {10, 10, 1'000'000},
                 {100, 1, 6'658'211},
                 {100, 50, 1'584'963},
                 {100, 99, 1'007'268},
                 {1000, 1, 9'967'226},
                 {1000, 7, 7'168'493},
                 {6000, 61, 6'634'603},
                 {225'037, 1, 17'779'809},
                 {225'037, 4, 15'779'828},
                 {225'037, 2'250, 6'658'446},
                 {225'037, 225'037, 1'000'000},
                 {1'000'000, 1, 19'931'570},
                 {1'000'000, 999'999, 1'000'001},
                 {123'456'789, 10, 23'557'503},
                 {4'294'967'295, 1, 32'000'000},
                 {4'294'967'295, 2'147'483'648, 1'584'963},
                 {4'294'967'295, 4'294'967'294, 1'000'000},
                 {4'294'967'295, 4'294'967'295, 1'000'000}};
  for (const auto& [documents, having, millionths] : kGolden)
    EXPECT_EQ(inverse_frequency(documents, having), millionths) << documents << " " << having;
  EXPECT_EQ(inverse_frequency(100, 0), inverse_frequency(100, 1));
}

// log2(1 + N / n) for N / n = 2^k - 1 is k exactly.
TEST(InverseFrequency, IsExactAtPowersOfTwo) {
  for (std::uint64_t k = 1; k <= 31; ++k) {
    for (const std::uint64_t having : {1, 3, 1000}) {
      const std::uint64_t all = ((std::uint64_t{1} << k) - 1) * having;
      if (all >= std::uint64_t{1} << 32) continue;
      EXPECT_EQ(inverse_frequency(all, having), k * 1'000'000);
    }
  }
}

TEST(InverseFrequency, FallsWithTheFrequencyAndNeverToNothing) {
  std::uint64_t last = inverse_frequency(5000, 1);
  for (std::uint64_t having = 2; having <= 5000; ++having) {
    const std::uint64_t next = inverse_frequency(5000, having);
    ASSERT_LT(next, last) << having;
    last = next;
  }
  EXPECT_EQ(last, 1'000'000U);
}

}  // namespace
}  // namespace benzer::internal
