#include "base/weight.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "base/test_random.h"

namespace benzer {
namespace {

TEST(Weight, IsKeptToFiveSignificantDigits) {
  constexpr struct {
    double weight;
    std::uint64_t millionths;
  } kRows[] = {{0.000001, 1},         {0.0000014, 1},           {0.0000015, 2},
               {0.1, 100'000},        {1, 1'000'000},           {2.5, 2'500'000},
               {0.099999, 99'999},    {0.12345, 123'450},       {0.123456, 123'460},
               {0.123454, 123'450},   {12.75, 12'750'000},      {99.9995, 100'000'000},
               {99.9994, 99'999'000}, {65'536, 65'536'000'000}, {1'234'567, 1'234'600'000'000},
               {1.0 / 3, 333'330},    {2.0 / 3, 666'670},       {99'999'000, 99'999'000'000'000}};
  for (const auto& [weight, millionths] : kRows) {
    EXPECT_EQ(weight_problem(weight), "") << weight;
    EXPECT_EQ(millionths_of(weight), millionths) << weight;
    EXPECT_EQ(weight_of(with_weight(~std::uint64_t{0}, millionths)), millionths) << weight;
  }
}

TEST(Weight, OthersAreRefused) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double weight : {0.0, -0.0, -1.0, 0.0000009, 99'999'001.0, 1e300, kInfinity,
                              -kInfinity, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_NE(weight_problem(weight), "") << weight;
  EXPECT_EQ(weight_problem(-2), "is -2; allowed are numbers from 0.000001 to 99999000");
}

// A slow definition: the nearest number of five digits times a power of ten.
std::uint64_t rounded(std::uint64_t millionths) {
  std::uint64_t power = 1;
  while (millionths / power > 99'999) power *= 10;
  return (millionths + power / 2) / power * power;
}

TEST(Weight, CodesAreInTheOrderOfWeightsAndFitInto20Bits) {
  TestRandom random(1);
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t a = 1 + random.next() % (std::uint64_t{1} << random.below(47));
    const std::uint64_t b = random.below(2) == 0 ? a + random.below(a / 10'000 + 2)
                                                 : 1 + random.below(99'999'000'000'000);
    for (const std::uint64_t weight : {a, b}) {
      ASSERT_LE(weight_code(weight), kWeightBits);
      if (weight > 99'999'000'000'000) continue;
      ASSERT_EQ(weight_of_code(weight_code(weight)), rounded(weight)) << weight;
    }
    ASSERT_EQ(weight_code(a) < weight_code(b),
              weight_of_code(weight_code(a)) < weight_of_code(weight_code(b)))
        << a << " " << b;
  }
  EXPECT_EQ(weight_of_code(weight_code(~std::uint64_t{0})), 99'999'000'000'000U);
}

TEST(Weight, OfAFeatureLeavesItsOtherBits) {
  const std::uint64_t feature = 0x0123456789ABCDEF;
  EXPECT_EQ(with_weight(feature, kUnitWeight) & ~kWeightBits, feature & ~kWeightBits);
  const std::uint64_t both[] = {with_weight(1, 1'500'000), with_weight(1 << 20, 250'000)};
  EXPECT_EQ(total_weight(both), 1'750'000U);
}

}  // namespace
}  // namespace benzer
