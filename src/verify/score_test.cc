#include "verify/score.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace benzer {
namespace {

constexpr std::uint32_t kOne = 1'000'000;

TEST(Score, IsTheMeanByWeightOrTheLeastOrTheMost) {
  const std::vector<WeighedOverlap> fields = {{{1, 2}, 2 * kOne}, {{0, 7}, kOne}, {{3, 3}, kOne}};
  EXPECT_EQ(score_of(ScoreRule::kMean, fields), 0.5);
  EXPECT_EQ(score_of(ScoreRule::kAll, fields), 0);
  EXPECT_EQ(score_of(ScoreRule::kAny, fields), 1);
  for (const ScoreRule rule : {ScoreRule::kMean, ScoreRule::kAll, ScoreRule::kAny}) {
    EXPECT_EQ(score_of(rule, std::vector<WeighedOverlap>()), 0);
    EXPECT_FALSE(reaches(rule, {}, Threshold::parse("0.1")));
  }
}

TEST(Score, ReachesAThresholdThatItEquals) {
  const struct {
    std::vector<WeighedOverlap> fields;
    const char* threshold;
    bool mean, all, any;
  } kCases[] = {
      {{{{4, 5}, kOne}}, "0.8", true, true, true},
      {{{{4, 5}, kOne}}, "0.80000000000000001", false, false, false},
      {{{{1, 3}, kOne}, {{2, 3}, kOne}}, "0.5", true, false, true},
      {{{{1, 3}, kOne}, {{2, 3}, kOne}}, "0.50000000000000001", false, false, true},
      {{{{1, 7}, 3 * kOne}, {{5, 7}, 3 * kOne}, {{1, 7}, kOne}},
       "0.38775510204081632",
       true,
       false,
       true},
      {{{{1, 10}, kOne}, {{2, 10}, kOne}, {{3, 10}, kOne}}, "0.2", true, false, true},
      {{{{7, 10}, kOne}, {{7, 10}, 1}}, "0.7", true, true, true},
  };
  for (const auto& test : kCases) {
    const Threshold threshold = Threshold::parse(test.threshold);
    EXPECT_EQ(reaches(ScoreRule::kMean, test.fields, threshold), test.mean) << test.threshold;
    EXPECT_EQ(reaches(ScoreRule::kAll, test.fields, threshold), test.all) << test.threshold;
    EXPECT_EQ(reaches(ScoreRule::kAny, test.fields, threshold), test.any) << test.threshold;
  }
}

// Sets so large that their scores are equal as doubles.
TEST(Score, TellsLargeSetsApart) {
  constexpr std::uint64_t kLarge = std::uint64_t{1} << 53;
  const Threshold half = Threshold::parse("0.5");
  EXPECT_TRUE(reaches(ScoreRule::kMean,
                      std::vector<WeighedOverlap>{{{kLarge / 2, kLarge}, kOne}, {{1, 2}, kOne}},
                      half));
  EXPECT_FALSE(
      reaches(ScoreRule::kMean,
              std::vector<WeighedOverlap>{{{kLarge / 2 - 1, kLarge}, kOne}, {{1, 2}, kOne}}, half));
}

// 64 fields with unions of up to 32 different sizes: their exact sum needs thousands of bits.
RC_GTEST_PROP(Score, MeansOfManyLargeSetsAreExact, ()) {
  std::vector<WeighedOverlap> fields;
  for (int i = 0; i < 32; ++i) {
    const auto size = *rc::gen::inRange<std::uint64_t>(2, std::uint64_t{1} << 53);
    const auto shared = *rc::gen::inRange<std::uint64_t>(1, size);
    const auto weight = *rc::gen::inRange<std::uint32_t>(1, 100 * kOne);
    fields.push_back({{shared, size}, weight});
    fields.push_back({{size - shared, size}, weight});  // the two have the mean 1/2
  }
  const Threshold half = Threshold::parse("0.5");
  RC_ASSERT(reaches(ScoreRule::kMean, fields, half));
  RC_ASSERT(!reaches(ScoreRule::kMean, fields, Threshold::parse("0.50000000000000001")));
  WeighedOverlap& one = fields[*rc::gen::inRange<std::size_t>(0, fields.size())];
  --one.overlap.intersection;
  RC_ASSERT(!reaches(ScoreRule::kMean, fields, half));
}

// Scores that are equal to the threshold, in sets of different sizes.
RC_GTEST_PROP(Score, MeansOfTheThresholdReachIt, ()) {
  const int digits = *rc::gen::inRange(1, 16);
  std::uint64_t tens = 1;
  for (int i = 0; i < digits; ++i) tens *= 10;
  const auto part = *rc::gen::inRange<std::uint64_t>(1, tens);
  const std::string written = std::to_string(part);
  const Threshold threshold = Threshold::parse(
      "0." + std::string(static_cast<std::size_t>(digits) - written.size(), '0') + written);
  std::vector<WeighedOverlap> fields;
  for (int i = 0; i < 5; ++i) {
    const auto times = *rc::gen::inRange<std::uint64_t>(1, (std::uint64_t{1} << 53) / tens + 2);
    fields.push_back({{part * times, tens * times}, *rc::gen::inRange<std::uint32_t>(1, kOne)});
  }
  RC_ASSERT(reaches(ScoreRule::kMean, fields, threshold));
  std::uint64_t& shared = fields[2].overlap.intersection;
  --shared;
  RC_ASSERT(!reaches(ScoreRule::kMean, fields, threshold));
  shared += 2;
  RC_ASSERT(reaches(ScoreRule::kMean, fields, threshold));
}

// With hundredths as scores and whole weights, plain integers can check the result.
RC_GTEST_PROP(Score, MeansAreDecidedAsIntegersDecide, ()) {
  const auto parts = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::pair<int, int>>>(
      rc::gen::pair(rc::gen::inRange(0, 101), rc::gen::inRange(1, 10))));
  const int percent = *rc::gen::inRange(1, 100);
  std::vector<WeighedOverlap> fields;
  long sum = 0;
  long weights = 0;
  for (const auto& [score, weight] : parts) {
    fields.push_back(
        {{static_cast<std::uint64_t>(score), 100}, static_cast<std::uint32_t>(weight) * kOne});
    sum += score * weight;
    weights += weight;
  }
  const Threshold threshold(percent / 100.0);
  RC_ASSERT(reaches(ScoreRule::kMean, fields, threshold) == (sum >= percent * weights));
}

}  // namespace
}  // namespace benzer
