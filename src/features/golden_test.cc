// Checks the examples of tests/golden/features.json, which tests/golden/check_features.py makes
// from docs/format.md without this code.
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <simdjson.h>

#include "benzer/features.h"
#include "benzer/runtime.h"

#include "features/stemmer.h"

namespace benzer {
namespace {

std::string from_hex(std::string_view hex) {
  std::string out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    out += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return out;
}

std::string text_of(simdjson::dom::element element) {
  return std::string(std::string_view(element));
}

class GoldenFeatures : public testing::Test {
 protected:
  void SetUp() override {
    file_ = parser_.load(std::string(BENZER_SOURCE_DIR) + "/tests/golden/features.json");
  }

  simdjson::dom::parser parser_;
  simdjson::dom::element file_;
};

TEST_F(GoldenFeatures, TextsOnEveryLevel) {
  const CpuLevel before = active_cpu_level();
  for (const CpuLevel level : available_cpu_levels()) {
    force_cpu_level(level);
    std::size_t cases = 0;
    for (const simdjson::dom::element example : file_["cases"]) {
      ++cases;
      const std::string spec = text_of(example["spec"]);
      if (!internal::has_stemming() && spec.find("+stem:") != std::string::npos) continue;
      SCOPED_TRACE(text_of(example["name"]) + ", " + std::string(cpu_level_name(level)));
      std::string_view hex;
      const std::string input =
          example["hex"].get(hex) == simdjson::SUCCESS ? from_hex(hex) : text_of(example["text"]);
      const FeatureExtractor extractor(FeatureSpec::parse(spec));
      std::vector<std::string> words, stems;
      for (const simdjson::dom::element word : example["words"]) words.push_back(text_of(word));
      if (simdjson::dom::array found; example["stems"].get(found) == simdjson::SUCCESS) {
        for (const simdjson::dom::element stem : found) stems.push_back(text_of(stem));
      }
      std::vector<std::string> shingles;
      std::vector<std::uint64_t> features;
      for (const simdjson::dom::element shingle : example["shingles"]) {
        shingles.push_back(text_of(shingle.at(0)));
        features.push_back(std::stoull(text_of(shingle.at(1))));
      }

      FeatureBuffer buffer;
      extractor.extract(input, buffer);
      EXPECT_EQ(std::vector(buffer.features().begin(), buffer.features().end()), features);
      EXPECT_EQ(buffer.is_short(), bool(example["short"]));
      EXPECT_EQ(buffer.replaced(), std::uint64_t(example["replaced"]));

      const TextTrace trace = extractor.trace(input);
      if (std::string_view readable; example["readable"].get(readable) == simdjson::SUCCESS) {
        EXPECT_EQ(trace.readable, readable);
      }
      EXPECT_EQ(trace.normalised, text_of(example["normalised"]));
      EXPECT_EQ(trace.words, words);
      EXPECT_EQ(trace.stems, stems);
      EXPECT_EQ(trace.is_short, bool(example["short"]));
      EXPECT_EQ(trace.replaced, std::uint64_t(example["replaced"]));
      ASSERT_EQ(trace.shingles.size(), shingles.size());
      for (std::size_t i = 0; i < shingles.size(); ++i) {
        EXPECT_EQ(trace.shingles[i].text, shingles[i]);
        EXPECT_EQ(trace.shingles[i].feature, features[i]);
      }
    }
    EXPECT_GE(cases, 60U);
  }
  force_cpu_level(before);
}

TEST_F(GoldenFeatures, Values) {
  std::size_t cases = 0;
  for (const simdjson::dom::element example : file_["values"]) {
    ++cases;
    SCOPED_TRACE(text_of(example["name"]));
    std::vector<std::string> values;
    for (const simdjson::dom::element hex : example["hex"]) {
      values.push_back(from_hex(text_of(hex)));
    }
    std::vector<std::uint64_t> features;
    for (const simdjson::dom::element feature : example["features"]) {
      features.push_back(std::stoull(text_of(feature)));
    }
    FeatureBuffer buffer;
    const std::vector<std::string_view> views(values.begin(), values.end());
    FeatureExtractor(FeatureSpec::parse(text_of(example["spec"]))).extract_values(views, buffer);
    EXPECT_EQ(std::vector(buffer.features().begin(), buffer.features().end()), features);
  }
  EXPECT_GE(cases, 3U);
}

}  // namespace
}  // namespace benzer
