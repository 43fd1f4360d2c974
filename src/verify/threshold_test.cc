#include <gtest/gtest.h>

#include "benzer/error.h"
#include "benzer/similarity.h"

namespace benzer {
namespace {

TEST(Threshold, ReadsExactDecimals) {
  struct Case {
    const char* text;
    const char* printed;
    double value;
  };
  for (const Case& c : {Case{"0.8", "0.8", 0.8}, Case{".75", "0.75", 0.75}, Case{"1", "1", 1},
                        Case{"1.0", "1", 1}, Case{"1.", "1", 1}, Case{"0.800", "0.8", 0.8},
                        Case{"00.5", "0.5", 0.5}, Case{"0.05", "0.05", 0.05},
                        Case{"0.12345678901234567", "0.12345678901234567", 0.12345678901234567}}) {
    EXPECT_EQ(Threshold::parse(c.text).str(), c.printed);
    EXPECT_DOUBLE_EQ(Threshold::parse(c.text).value(), c.value);
  }
}

TEST(Threshold, RefusesEverythingElse) {
  for (const char* text :
       {"", ".", "0", "0.0", "1.5", "2", "10", "-0.8", "+0.8", "nan", "inf", "8e-1", "0,8", "80%",
        " 0.8", "0.8 ", "0x1", "0.123456789012345678", "0.8.1"})
    EXPECT_THROW(Threshold::parse(text), Error) << text;
}

TEST(Threshold, DecidesExactlyOnTheLine) {
  struct Case {
    const char* threshold;
    std::uint64_t intersection, set_union;
    bool reached;
  };
  const Case cases[] = {
      {"0.8", 4, 5, true},
      {"0.8", 8, 10, true},
      {"0.8", 79, 99, false},
      {"0.7", 7, 10, true},
      {"0.7", 699, 1000, false},
      {"0.1", 1, 10, true},
      {"0.3", 3, 10, true},
      {"1", 5, 5, true},
      {"1", 5, 6, false},
      {"0.8", 0, 0, false},
      {"0.6", 3, 5, true},
      {"0.8", 3602879701896396, 4503599627370495, true},
      {"0.8", 3602879701896395, 4503599627370495, false},
      {"0.99999999999999999", 99999999999999, 100000000000000, false},
  };
  for (const Case& c : cases)
    EXPECT_EQ(Threshold::parse(c.threshold).reached(c.intersection, c.set_union), c.reached)
        << c.threshold << " " << c.intersection << "/" << c.set_union;
}

TEST(Threshold, NeededIntersectionIsTheLeastThatReaches) {
  for (const char* text : {"0.5", "0.7", "0.8", "0.333", "1", "0.01"}) {
    const Threshold threshold = Threshold::parse(text);
    for (std::uint64_t a = 0; a <= 40; ++a) {
      for (std::uint64_t b = 0; b <= 40; ++b) {
        const std::uint64_t needed = threshold.needed_intersection(a, b);
        EXPECT_GE(needed, 1u);
        if (needed <= std::min(a, b)) {
          EXPECT_TRUE(threshold.reached(needed, a + b - needed)) << text << a << " " << b;
        }
        if (needed - 1 <= std::min(a, b)) {
          EXPECT_FALSE(threshold.reached(needed - 1, a + b - (needed - 1)))
              << text << a << " " << b;
        }
      }
    }
  }
}

}  // namespace
TEST(Threshold, NamesWhatItRefuses) {
  // The decimals of these are longer than that of any threshold; the message must still show them.
  for (const auto& [value, text] : {std::pair{1e-300, "1e-300"}, std::pair{1e300, "1e+300"}}) {
    try {
      const Threshold refused(value);
      FAIL() << value;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    }
  }
}

}  // namespace benzer
