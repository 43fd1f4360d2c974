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

TEST(ScoreText, NoProbabilitySeemsToBeCertainThatIsNot) {
  EXPECT_EQ(shown_probability(0), "0.0000");
  EXPECT_EQ(shown_probability(1), "1.0000");
  EXPECT_EQ(shown_probability(0.99278), "0.9928");
  EXPECT_EQ(shown_probability(0.99994), "0.9999");
  EXPECT_EQ(shown_probability(0.99996), "0.99996");
  EXPECT_EQ(shown_probability(0.999991), "0.99999");
  EXPECT_EQ(shown_probability(0.9999962), "0.999996");
  EXPECT_EQ(shown_probability(1 - 1e-15), "0.999999999");
  EXPECT_EQ(probability_in_column(0.99278), "0.9928");
  EXPECT_EQ(probability_in_column(0.99996), "0.9999");
  EXPECT_EQ(probability_in_column(1), "1.0000");
}

}  // namespace
}  // namespace benzer
