// What the documents print, as the experiments show it, and measurements that must come out near
// what is expected, with fresh random numbers in every run.
#include <cmath>
#include <random>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benzer/experiments.h"

#include "base/sanitized.h"
#include "experiments/made_texts.h"

namespace benzer {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

const ExperimentTable& table(const ExperimentResult& result, const std::string& name) {
  for (const ExperimentTable& table : result.tables)
    if (table.name == name) return table;
  throw std::runtime_error("no table " + name);
}

ExperimentResult run_fresh(std::string_view name) {
  std::random_device device;
  ExperimentOptions options;
  options.seed = (std::uint64_t{device()} << 32) | device();
  return run_experiment(name, options);
}

TEST(ScalaExperiment, PrintedNumbersComeOutAndEstimatesAreNearTheTruth) {
  const ExperimentResult result = run_fresh("scala");
  EXPECT_THAT(result.findings, Not(Contains(HasSubstr("mistake")))) << "seed " << result.seed;
  for (const auto& row : table(result, "scala-histogram").rows)
    EXPECT_EQ(row[1].text, row[2].text) << row[0].text;
  for (const auto& row : table(result, "scala-bands").rows) EXPECT_EQ(row[1].text, row[2].text);
  // A mean of `pairs` estimates with error sqrt(J(1-J)/100) each: 6.7 deviations leave 2e-11 for
  // the normal distribution. The ten functions in a hundred that share factors of 2 may add as much
  // again for single texts.
  for (const auto& row : table(result, "scala-estimates").rows) {
    const double deviation = *row[4].number / std::sqrt(*row[1].number);
    EXPECT_LT(std::abs(*row[2].number), 2 * 6.7 * deviation + 0.005)
        << "from " << row[0].text << ", seed " << result.seed;
  }
}

TEST(SCurveExperiment, BandsFindWhatTheFormulaSays) {
  if (kSanitized) GTEST_SKIP() << "80,000 sketches";
  const ExperimentResult result = run_fresh("s-curve");
  for (const auto& row : table(result, "s-curve").rows) {
    // 2,000 pairs: by Hoeffding's inequality a share is off by 0.085 with a chance of
    // 2 exp(-2 * 2000 * 0.085^2) = 6e-13, any of 200 cells 1.2e-10. fss may find a little more.
    const double low = *row[3].number - 0.085;
    const double high = *row[3].number + (row[0].text == "fss:100" ? 0.125 : 0.085);
    EXPECT_GT(*row[4].number, low)
        << row[0].text << " " << row[1].text << " J " << row[2].text << ", seed " << result.seed;
    EXPECT_LT(*row[4].number, high)
        << row[0].text << " " << row[1].text << " J " << row[2].text << ", seed " << result.seed;
  }
}

TEST(BlogExperiment, TwentyRowsFindCopiesOnly) {
  const ExperimentResult result = run_fresh("blog-lsh");
  for (const auto& row : table(result, "blog-lsh-recall").rows) {
    // Several thousand pairs a row, of which the pairs of a family share documents: at least a
    // sixth of them are independent. Hoeffding for 1e-10: d = sqrt(ln(2e10) / (2 pairs / 6)). The
    // functions are the same for all pairs; their own unevenness on word numbers comes on top.
    const double d = std::sqrt(std::log(2e10) * 3 / *row[1].number);
    EXPECT_NEAR(*row[3].number, *row[4].number, d + 0.1)
        << "J from " << row[0].text << ", seed " << result.seed;
  }
}

TEST(MadeTexts, AreTheSameForASeedAndEveryTenthIsANearCopy) {
  using experiments::changed_text;
  using experiments::made_text;
  EXPECT_EQ(made_text(1, 17), made_text(1, 17));
  EXPECT_NE(made_text(1, 17), made_text(2, 17));
  EXPECT_NE(made_text(1, 17), made_text(1, 18));
  EXPECT_EQ(changed_text(5, 3, 0), made_text(5, 3));
  EXPECT_NE(changed_text(5, 3, 2), made_text(5, 3));
  const std::string text = made_text(1, 0);
  EXPECT_EQ(std::count(text.begin(), text.end(), ' '),
            static_cast<std::ptrdiff_t>(experiments::kMadeWords) - 1);
}

}  // namespace
}  // namespace benzer
