#include "benzer/internal/score_text.h"

#include <string>

#include <gtest/gtest.h>

namespace benzer {
namespace {

TEST(ScoreText, NoScoreSeemsToReachAThresholdThatItIsBelow) {
  EXPECT_EQ(cut_score(0), "0.0000");
  EXPECT_EQ(cut_score(1), "1.0000");
  EXPECT_EQ(cut_score(39999.0 / 50000), "0.7999");
  EXPECT_EQ(cut_score(49999.0 / 50000), "0.9999");
  EXPECT_EQ(cut_score(1 - 1e-15), "0.9999");
  EXPECT_EQ(cut_score(2.0 / 3), "0.6666");
  EXPECT_EQ(cut_score(0.80006, 5), "0.80006");
  EXPECT_EQ(cut_score(0.8, 17).substr(0, 6), "0.8000");
}

TEST(ScoreText, DecimalsAreShownAsTheyAre) {
  for (int i = 0; i <= 10000; ++i) {
    const double score = i / 1e4;
    EXPECT_EQ(std::stod(cut_score(score)), score);
    EXPECT_EQ(cut_score(3 * i / 3e4), cut_score(score));
  }
}

}  // namespace
}  // namespace benzer
