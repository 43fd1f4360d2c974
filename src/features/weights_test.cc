#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benzer/error.h"
#include "benzer/features.h"

#include "base/weight.h"

namespace benzer {
namespace {

using Values = std::vector<std::string_view>;

std::vector<std::uint64_t> extract(const char* spec, const Values& values,
                                   const std::vector<double>& weights = {}) {
  const FeatureExtractor extractor(FeatureSpec::parse(spec));
  FeatureBuffer buffer;
  extractor.extract_values(values, buffer, weights);
  return {buffer.features().begin(), buffer.features().end()};
}

TEST(WeightedValues, AreTheFeaturesOfValuesWithTheirWeights) {
  const std::vector<std::uint64_t> plain = extract("values", {"tent", "rope"});
  const std::vector<std::uint64_t> weighted =
      extract("values+weights", {"tent", "rope"}, {2.5, 0.125});
  ASSERT_EQ(weighted.size(), 2U);
  EXPECT_EQ(weighted[0], with_weight(plain[0], 2'500'000));
  EXPECT_EQ(weighted[1], with_weight(plain[1], 125'000));
  // Golden numbers: a store keeps these for years.
  EXPECT_EQ(weighted[0] & kWeightBits, 225'000U);
  EXPECT_EQ(weighted[1] & kWeightBits, 112'500U);
  EXPECT_NE(extract("values+weights+seed:7", {"tent"})[0], extract("values+weights", {"tent"})[0]);
}

TEST(WeightedValues, EqualOnesAddUp) {
  EXPECT_EQ(extract("values+weights", {"a", "b", "a", "c", "a"}, {1, 2, 0.5, 3, 0.25}),
            extract("values+weights", {"a", "b", "c"}, {1.75, 2, 3}));
  EXPECT_EQ(extract("values+weights", {"b", "a", "b"}),
            extract("values+weights", {"b", "a"}, {2, 1}));
  EXPECT_EQ(extract("values+weights", {"a", "a"}, {9e7, 9e7}),
            extract("values+weights", {"a"}, {99'999'000}));
  EXPECT_TRUE(extract("values+weights", {}).empty());
}

TEST(WeightedValues, AreTracedByTheValue) {
  const FeatureExtractor extractor(FeatureSpec::parse("values+weights"));
  const TextTrace trace = extractor.trace_values(Values{"x", "y", "x"});
  ASSERT_EQ(trace.shingles.size(), 3U);
  EXPECT_EQ(trace.shingles[0].feature & ~kWeightBits,
            extract("values+weights", {"x"})[0] & ~kWeightBits);
}

TEST(WeightedValues, WrongWeightsAreRefusedInOneSentence) {
  const auto problem = [](const char* spec, const Values& values,
                          const std::vector<double>& weights) -> std::string {
    try {
      extract(spec, values, weights);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(problem("values+weights", {"a", "b"}, {1, -1}),
            "the weight of value 2 is -1; allowed are numbers from 0.000001 to 99999000");
  EXPECT_THAT(problem("values+weights", {"a", "b"}, {1}), testing::HasSubstr("2 values have 1"));
  EXPECT_THAT(problem("values", {"a"}, {1}), testing::HasSubstr("values+weights"));
  EXPECT_THAT(problem("values+weights", Values(91, "a"), std::vector<double>(91, 99'000'000)),
              testing::HasSubstr("more than 9000000000"));
}

TEST(WeightedValues, HaveOneSpelling) {
  for (const char* spec : {"values+weights", "values+weights+seed:7"}) {
    const FeatureSpec parsed = FeatureSpec::parse(spec);
    EXPECT_EQ(parsed.str(), spec);
    EXPECT_TRUE(parsed.is_weighted());
    EXPECT_TRUE(parsed.is_sketched());
  }
  EXPECT_EQ(FeatureSpec::parse("values+seed:7+weights").str(), "values+weights+seed:7");
  for (const char* spec : {"values+bag", "values", "text:word1"})
    EXPECT_FALSE(FeatureSpec::parse(spec).is_weighted()) << spec;
  for (const char* spec : {"values+weights+weights", "values+weights+bag", "values+bag+weights",
                           "values+weights+drop-common:0.1", "values+drop-common:0.1+weights",
                           "text:word1+weights", "values+weights:2"})
    EXPECT_THROW(FeatureSpec::parse(spec), Error) << spec;
  EXPECT_THROW(Config::parse("values+weights | kperm:64"), Error);
  EXPECT_EQ(Config::parse("values+weights").str(), "values+weights | fss:128");
}

}  // namespace
}  // namespace benzer
