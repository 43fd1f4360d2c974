#include "benzer/number.h"

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/test_random.h"

namespace benzer {
namespace {

TEST(Number, IsReadFromText) {
  const struct {
    std::string text, number;
  } rows[] = {
      {"0", "0"},
      {"-0.00e7", "0"},
      {"007", "7"},
      {".5", "0.5"},
      {"5.", "5"},
      {"-1.50E+2", "-150"},
      {"1e-5", "1e-5"},
      {"1e16381", "1e16381"},
      {"1e16382", "infinite"},
      {"-1e16382", "-infinite"},
      {"1e-16384", "1e-16384"},
      {"-1e-16385", "0"},
      {"1e999999999999999999999", "infinite"},
      {"1e-999999999999999999999", "0"},
      {"123456789012345678901234567890123", "1.23456789012345678901234567890123e32"},
      {"1234567890123456789012345678901234", "1.23456789012345678901234567890123e33"},
      {"999999999999999999999999999999999", "9.99999999999999999999999999999999e32"},
      {"", "none"},
      {"-", "none"},
      {"+1", "none"},
      {".", "none"},
      {"1e", "none"},
      {"1e+", "none"},
      {" 1", "none"},
      {"1 ", "none"},
      {"0x10", "none"},
      {"1,5", "none"},
      {"inf", "none"},
      {"nan", "none"},
      {"1.2.3", "none"},
      {std::string("1\0", 2), "none"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(Number::in(row.text).str(), row.number) << row.text;
    EXPECT_EQ(Number::in(row.text).is_there(), row.number != "none") << row.text;
  }
}

TEST(Number, IsMadeFromDoublesAndIntegers) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(Number(0.1).str(), "0.1");
  EXPECT_EQ(Number(-1e300), Number::in("-1e300"));
  EXPECT_EQ(Number(-0.0), Number(0));
  EXPECT_EQ(Number(kInfinite).str(), "infinite");
  EXPECT_EQ(Number(-kInfinite), Number::in("-1e20000"));
  EXPECT_FALSE(Number(std::nan("")).is_there());
  EXPECT_TRUE(std::isnan(Number().value()));
  EXPECT_EQ(Number::in("-1e400").value(), -kInfinite);
  EXPECT_EQ(Number::in("-1e20000").value(), -kInfinite);
  EXPECT_EQ(Number::in("1e-400").value(), 0);
  EXPECT_EQ(Number(std::numeric_limits<std::uint64_t>::max()).str(), "18446744073709551615");
  EXPECT_EQ(Number(std::numeric_limits<std::int64_t>::min()).str(), "-9223372036854775808");
}

TEST(Number, HasAWholePart) {
  const struct {
    std::string text;
    std::uint64_t whole;
  } rows[] = {
      {"0", 0},
      {"0.9", 0},
      {"1.9", 1},
      {"-7", 0},
      {"x", 0},
      {"1e-400", 0},
      {"18446744073709551615.9", 18446744073709551615U},
      {"18446744073709551616", 18446744073709551615U},
      {"1e300", 18446744073709551615U},
      {"1e30000", 18446744073709551615U},
  };
  for (const auto& row : rows) EXPECT_EQ(Number::in(row.text).whole(), row.whole) << row.text;
}

// The order of this list, and of nothing else, is that of the numbers.
TEST(Number, HasAnOrder) {
  std::vector<Number> all;
  for (const char* text : {"none",
                           "-1e20000",
                           "-1e16381",
                           "-18446744073709551617",
                           "-18446744073709551616",
                           "-2",
                           "-1.5",
                           "-1",
                           "-1e-16384",
                           "0",
                           "1e-16384",
                           "0.1",
                           "0.10000000000000000000000000000001",
                           "1",
                           "9",
                           "10",
                           "9007199254740992",
                           "9007199254740993",
                           "9007199254740993.5",
                           "1e16381",
                           "1e16382"})
    all.push_back(Number::in(text));
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < all.size(); ++j) EXPECT_EQ(all[i] < all[j], i < j) << i << " " << j;
}

TEST(Number, OrdersDoublesAsTheyAre) {
  TestRandom random(1);
  std::vector<double> values = {0, 1, -1, 0.5, 5e-324, 1.7976931348623157e308};
  for (const std::uint64_t bits : random.numbers(300)) {
    const auto value = std::bit_cast<double>(bits);
    if (!std::isfinite(value)) continue;
    values.push_back(value);
    values.push_back(std::nextafter(value, 0));
    values.push_back(static_cast<double>(bits));
    values.push_back(static_cast<double>(bits >> 40));
  }
  for (const double x : values) {
    EXPECT_EQ(Number(x).value(), x);
    EXPECT_EQ(Number::in(Number(x).str()), Number(x)) << x;
    for (const double y : values) ASSERT_EQ(Number(x) <=> Number(y), x <=> y) << x << " " << y;
  }
}

}  // namespace
}  // namespace benzer
