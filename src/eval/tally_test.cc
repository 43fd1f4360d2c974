#include "eval/tally.h"

#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

namespace benzer {
namespace {

// Returns the row that has all pairs; -1 if there is no such row.
int counted_row(const std::vector<ScoreRange>& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].pairs == 1) return static_cast<int>(i);
  return -1;
}

// Compares rows with the edges as whole numbers, for all similarities of sets with at most 60
// features in both.
TEST(Tally, RowsHaveTheScoresBetweenTheirEdges) {
  constexpr std::int64_t kUnit = 1000, kStep = 50;
  for (const std::int64_t threshold :
       {100, 200, 333, 500, 600, 625, 700, 720, 800, 850, 900, 1000}) {
    for (std::int64_t all = 1; all <= 60; ++all) {
      for (std::int64_t common = 0; common < all; ++common) {
        // The edge at or below the score, in steps from the threshold.
        const std::int64_t above = common * kUnit - threshold * all;
        const std::int64_t step =
            above >= 0 ? above / (kStep * all) : -((-above + kStep * all - 1) / (kStep * all));
        if (step < -4) continue;
        AuditFigures figures;
        Tally tally(static_cast<double>(threshold) / kUnit, 1, figures);
        ScoredMeeting met;
        met.score = static_cast<double>(common) / static_cast<double>(all);
        met.similar = step >= 0;
        tally.add(met);
        EXPECT_EQ(counted_row(figures.ranges), step >= 0 ? step : -1)
            << threshold << " " << common << " / " << all;
        EXPECT_EQ(counted_row(figures.below), step < 0 ? -step - 1 : -1)
            << threshold << " " << common << " / " << all;
      }
    }
  }
}

// The edges have nine digits at most, and thresholds may have more.
TEST(Tally, ScoresBeyondRoundedEdgesAreOfTheNearestRow) {
  for (const double threshold : {0.80000000049, 0.80000000051}) {
    for (const bool similar : {false, true}) {
      AuditFigures figures;
      Tally tally(threshold, 1, figures);
      ScoredMeeting met;
      met.score = similar ? threshold : std::nextafter(threshold, 0.0);
      met.similar = similar;
      tally.add(met);
      EXPECT_EQ(counted_row(figures.ranges), similar ? 0 : -1);
      EXPECT_EQ(counted_row(figures.below), similar ? -1 : 0);
    }
  }
}

}  // namespace
}  // namespace benzer
