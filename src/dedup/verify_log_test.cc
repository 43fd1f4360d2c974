// Tests that the comparisons that a run leaves in a work folder are used by a run about the same
// documents, and by no other.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "base/sanitized.h"
#include "dedup/dedup_test_util.h"
#include "io/io_test_util.h"

namespace benzer {
namespace {

namespace fs = std::filesystem;

class VerifyLogTest : public testing::Test {
 protected:
  DedupOptions options() const {
    DedupOptions options = options_without_misses("0.5");
    options.collect = Collect::kCompared;
    options.work_folder = folder_.path();
    options.keep_stages = true;
    return options;
  }
  std::string path() const { return folder_ / "benzer-verify"; }

  TestFolder folder_;
};

void expect_equal(const DedupResult& result, const DedupResult& expected) {
  EXPECT_EQ(result.removed, expected.removed);
  EXPECT_EQ(compared_of(result), compared_of(expected));
  EXPECT_EQ(result.counts.verified_pairs, expected.counts.verified_pairs);
}

TEST_F(VerifyLogTest, ServesTheSameRun) {
  const auto texts = mixed_texts(1, 150);
  const DedupResult first = deduplicate_texts(texts, options());
  const auto size = fs::file_size(path());
  expect_equal(deduplicate_texts(texts, options()), first);
  EXPECT_EQ(fs::file_size(path()), size);  // no pair was compared again
  remove_stages(options());
  EXPECT_FALSE(fs::exists(path()));
}

// Documents with the same numbers are candidates, but one has other words now.
TEST_F(VerifyLogTest, DoesNotServeOtherTexts) {
  const std::string text = "a b c d e f g h i j k l m n o p q r s t u v w x y z";
  const DedupResult first = deduplicate_texts({text, text + " 1"}, options());
  const std::vector<std::string> changed = {text, text + " 1 2 3"};
  const DedupResult second = deduplicate_texts(changed, options());
  ASSERT_EQ(first.removed.size(), 1u);
  ASSERT_EQ(second.removed.size(), 1u);
  EXPECT_NE(second.removed[0].score, first.removed[0].score);
  remove_stages(options());
  expect_equal(second, deduplicate_texts(changed, options()));
}

TEST_F(VerifyLogTest, DoesNotServeAnotherThreshold) {
  const auto texts = mixed_texts(2, 100);
  deduplicate_texts(texts, options());
  DedupOptions higher = options();
  higher.threshold = Threshold::parse("0.9");
  const DedupResult result = deduplicate_texts(texts, higher);
  remove_stages(higher);
  expect_equal(result, deduplicate_texts(texts, higher));
}

TEST_F(VerifyLogTest, WhatIsDamagedIsDoneAgain) {
  const auto texts = mixed_texts(3, 60);
  const DedupResult expected = deduplicate_texts(texts, options());
  std::string bytes;
  {
    std::ifstream file(path(), std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), {});
  }
  for (std::size_t at = 0; at < bytes.size(); at += 1 + bytes.size() / (kSanitized ? 9 : 40)) {
    for (const bool cut : {true, false}) {
      std::string damaged = cut ? bytes.substr(0, at) : bytes;
      if (!cut) damaged[at] = static_cast<char>(damaged[at] ^ 4);
      std::ofstream(path(), std::ios::binary) << damaged;
      expect_equal(deduplicate_texts(texts, options()), expected);
    }
  }
}

}  // namespace
}  // namespace benzer
