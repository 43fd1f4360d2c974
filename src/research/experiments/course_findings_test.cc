// Tests that the findings and verdicts of the course report follow from numbers, also from skewed
// counts of few runs.
#include "research/experiments/course_findings.h"

#include "research/experiments/findings_test_util.h"

namespace benzer::experiments::course_report {
namespace {

using enum ExperimentAnswer;
using Counts = std::vector<double>;

AccuracyRuns runs_of(Counts at_400, Counts at_600, Counts at_800) {
  AccuracyRuns out;
  out.off[0][0] = std::move(at_400);
  out.off[0][1] = std::move(at_600);
  out.off[0][2] = std::move(at_800);
  for (std::size_t k = 0; k < 3; ++k) {
    out.off[1][k] = out.off[2][k] = Counts(out.off[0][k].size(), 0.0);
    for (std::size_t run = 0; run < out.off[0][k].size(); ++run)
      out.bias[k].push_back(run % 2 == 0 ? 0.001 : -0.001);
  }
  return out;
}

// Runs as they are on files of the course: skewed, below theory in most runs, with a few of many
// pairs.
Accuracy measured() {
  Accuracy out;
  out.document =
      runs_of({2642, 1500, 4100, 1800, 2900}, {375, 200, 611, 150, 420}, {208, 40, 410, 90, 130});
  out.kperm =
      runs_of({3477, 1600, 4000, 1700, 2800}, {670, 210, 600, 140, 430}, {164, 50, 400, 80, 140});
  out.fss = runs_of({116, 90, 130, 140, 100}, {4, 3, 2, 5, 1}, {0, 0, 0, 0, 0});
  const double theory[] = {3751, 647, 126};
  for (std::size_t k = 0; k < 3; ++k) out.theory[0][k] = theory[k];
  out.pairs = 493521;
  out.mean_similarity = 0.1;
  out.mean_terms = 160;
  return out;
}

void scale(AccuracyRuns& runs, double by) {
  for (auto& counts : runs.off[0])
    for (double& count : counts) count *= by;
}

TEST(CourseFindings, OfAccuracyFollowFromNumbers) {
  expect_turned_round<Accuracy>(
      measured(), judge_accuracy,
      {{"as measured",
        [](Accuracy&) {},
        kYes,
        {"2588, 351 and 176", "no more than chance (rank sums)", "no bias of the family shows",
         "share the same functions", "does not tell the reason",
         "more slots than a file has terms"}},
       // A mean test with the deviation of few runs told this from theory on files of the course.
       {"all runs are below theory",
        [](Accuracy& n) {
          n.document = runs_of({1500, 1600, 1700, 1550, 1650}, {140, 150, 130, 160, 145},
                               {20, 25, 30, 22, 28});
          n.kperm = runs_of({1520, 1590, 1710, 1500, 15000}, {135, 155, 131, 161, 3000},
                            {21, 24, 31, 23, 900});
        },
        kYes,
        {"no more than chance", "!not as good", "!is better"}},
       {"one bad run does not decide",
        [](Accuracy& n) { n.document.off[0][1][0] = 50000; },
        kYes,
        {"no more than chance"}},
       {"every run has twice as many",
        [](Accuracy& n) { scale(n.document, 20); },
        kYes,
        {"is not as good as independent slots"}},
       {"every run has a tenth",
        [](Accuracy& n) { scale(n.document, 0.05); },
        kYes,
        {"is better than independent slots"}},
       {"too few pairs",
        [](Accuracy& n) { scale(n.document, 1e-4); },
        kYes,
        {"too few pairs to tell"}},
       {"more permutations do not help",
        [](Accuracy& n) { n.document.off[0][2] = n.document.off[0][0]; },
        kPartly,
        {}},
       {"many are off by 0.07",
        [](Accuracy& n) { n.document.off[1][2] = Counts(5, 1000); },
        kPartly,
        {}},
       {"a bias",
        [](Accuracy& n) {
          for (auto& biases : n.document.bias)
            for (double& bias : biases) bias = 0.01 + bias / 10;
        },
        kYes,
        {"off by +0.0100 on average, over 15 runs. Runs of kperm are lower",
         "has a bias on pairs"}},
       {"a bias to the other side",
        [](Accuracy& n) {
          for (auto& biases : n.document.bias)
            for (double& bias : biases) bias -= 0.01;
        },
        kYes,
        {"Runs of kperm are higher"}},
       {"runs are alike",
        [](Accuracy& n) {
          n.document = runs_of({2600, 2610, 2590, 2605, 2595}, {350, 352, 348, 351, 349},
                               {170, 171, 172, 169, 168});
        },
        kYes,
        {"no more than independent pairs would have"}},
       {"theory falls as the report",
        [](Accuracy& n) { n.theory[0][2] = n.theory[0][0] / 9; },
        kYes,
        {"So both fall alike", "!does not tell"}},
       {"fss is no better",
        [](Accuracy& n) { n.fss = n.kperm; },
        kYes,
        {"That is not fewer than kperm"}},
       {"files have more terms than slots",
        [](Accuracy& n) { n.mean_terms = 1000; },
        kYes,
        {"with fewer repeats"}}});
  const Judged figure = judge_accuracy_figure(measured());
  EXPECT_EQ(verdict_of(figure.claims), verdict_of(judge_accuracy(measured()).claims));
}

TEST(CourseFindings, OfAccuracyAreOpenWithoutPairs) {
  Accuracy none = measured();
  scale(none.document, 0);
  none.pairs = 0;
  EXPECT_EQ(verdict_of(judge_accuracy(none).claims).answer, kOpen);
}

TEST(CourseFindings, OfTimesFollowFromNumbers) {
  AllTimes times;
  for (std::size_t k = 0; k < 3; ++k)
    times.here[k] = {0.052,
                     0.005 * static_cast<double>(k + 1),
                     0.003 + 0.003 * static_cast<double>(k),
                     0.01,
                     78'000,
                     std::uint64_t{500} * kTimedPermutations[k]};
  times.pairs = 500;
  times.terms = 0.01;
  expect_turned_round<AllTimes>(
      times, judge_times,
      {{"as measured",
        [](AllTimes&) {},
        kPartly,
        {"times as fast", "a fraction of an instruction", "0.29 of the time", "not the algorithm",
         "against 156 terms a file"}},
       {"a slow matrix",
        [](AllTimes& t) { t.here[2].matrix = 700; },
        kYes,
        {"1.1 times as slow", "!not the algorithm"}},
       {"slow estimates",
        [](AllTimes& t) { t.here[0].estimated = t.here[2].estimated = 0.2; },
        kPartly,
        {"As in the report they are slower"}},
       {"other comparisons and slow estimates",
        [](AllTimes& t) {
          t.here[0].estimated_comparisons = 7;
          t.here[0].estimated = 1;
        },
        kNo,
        {}}});
}

TEST(CourseFindings, OfTenQueriesFollowFromNumbers) {
  expect_turned_round<TenQueries>(
      {7, 7, 6.9, 7, 7, 6.99}, judge_ten_queries,
      {{"as measured", [](TenQueries&) {}, kYes, {"returns 6.90 of 7", "removes 0.10"}},
       {"few are returned", [](TenQueries& n) { n.returned = 3; }, kNo, {"removes 4.00"}},
       {"few are similar", [](TenQueries& n) { n.returned = n.similar = 3; }, kYes, {}},
       {"none is removed", [](TenQueries& n) { n.returned = 7; }, kYes, {"removes none"}},
       {"none is similar", [](TenQueries& n) { n.returned = n.similar = 0; }, kOpen, {}}});
}

BandsTable bands() {
  BandsTable out;
  out.k = 1200;
  out.plan = "50x23";
  out.planned.found = 6.99;
  for (const std::size_t count : {15u, 120u}) {
    BandsRow row;
    row.bands = count;
    row.rows = 1200 / count;
    row.document = FoundOfDocument{count == 15 ? 1.04 : 5.85, 0, 0, 0, 0};
    row.tables.found = count == 15 ? 0.75 : 6.93;
    row.tables.false_positives = static_cast<double>(count) * 0.97;
    row.keys.false_positives = count == 15 ? 0 : 0.1;
    row.expected.copies = row.expected.similar = 7;
    out.rows.push_back(row);
  }
  return out;
}

TEST(CourseFindings, OfBandsFollowFromNumbers) {
  expect_turned_round<BandsTable>(
      bands(), judge_bands,
      {{"as measured",
        [](BandsTable&) {},
        kYes,
        {"No one similarity explains both", "16 % are below 0.9 would give", "here 0 % are below",
         "each band brings about one", "mostly copies whose estimate", "!fewer than planned",
         "!46,341", "!these files explain"}},
       {"one in six is below 0.9",
        [](BandsTable& t) {
          for (BandsRow& row : t.rows) row.expected.similar = 7 * (1 - 1.0 / 6);
          t.rows[1].tables.found = 5.8;
        },
        kYes,
        {"here 17 % are below 0.9, so these files explain"}},
       {"one similarity explains both",
        [](BandsTable& t) {
          // 7 (1 - (1 - J^r)^b) at J = 0.945
          t.rows[0].document->found = 1.057;
          t.rows[1].document->found = 7;
          t.rows[1].bands = 16;
          t.rows[1].rows = 80;
          t.rows[1].document->found = 1.122;
        },
        kPartly,
        {"One similarity of copies explains both"}},
       {"no strangers",
        [](BandsTable& t) {
          for (BandsRow& row : t.rows) row.tables.false_positives = 0;
        },
        kPartly,
        {"do not bring about one stranger"}},
       {"the fewest bands find all", [](BandsTable& t) { t.rows[0].tables.found = 7; }, kYes, {}},
       {"none is similar",
        [](BandsTable& t) {
          for (BandsRow& row : t.rows) row.expected.similar = row.tables.found = 0;
        },
        kYes,
        {}},
       {"no false positives of keys",
        [](BandsTable& t) { t.rows[1].keys.false_positives = 0; },
        kYes,
        {"leave 0.00", "!mostly copies"}},
       {"more bands find fewer", [](BandsTable& t) { t.rows[1].tables.found = 0.5; }, kPartly, {}},
       {"many false positives of keys",
        [](BandsTable& t) { t.rows[1].keys.false_positives = 20; },
        kYes,
        {"leave 20.00", "!mostly copies"}},
       {"the plan misses",
        [](BandsTable& t) { t.planned.found = 5; },
        kYes,
        {"fewer than planned"}},
       {"many terms", [](BandsTable& t) { t.p = 50021, t.terms = 50000; }, kYes, {"46,341"}}});
}

TEST(CourseFindings, OfFigure3FollowFromNumbers) {
  BandsTable table = bands();
  EXPECT_THAT(findings_of_fig_3(table)[2], testing::HasSubstr("it is the other way round"));
  EXPECT_THAT(findings_of_fig_3(table)[1], testing::HasSubstr("0.642 is the probability"));
  table.rows[0].tables.false_positives = 500;
  EXPECT_THAT(findings_of_fig_3(table)[2], testing::HasSubstr(", as it says"));
}

TEST(CourseFindings, OfCallsFollowFromNumbers) {
  expect_turned_round<AccuracyCall>(
      {1000, 3, 0.07, 2.5, 0.1}, judge_accuracy_call,
      {{"as measured", [](AccuracyCall&) {}, kYes, {"3 have an estimate", "2.5 would be expected"}},
       {"many are off", [](AccuracyCall& n) { n.off = 30; }, kNo, {"30 have an estimate"}}});
  expect_turned_round<TimerCall>(
      {100, 600, 60000, 0.05, 0.03, 0.01}, judge_timer_call,
      {{"as measured", [](TimerCall&) {}, kPartly, {"is faster than"}},
       {"a slow matrix", [](TimerCall& n) { n.matrix = 1; }, kYes, {"is not faster"}},
       {"other comparisons", [](TimerCall& n) { n.estimated_comparisons = 1; }, kNo, {}}});
  expect_turned_round<NearCall>(
      {"a.txt", 0.9, 7, 120, 0, 7, 0}, judge_near_call,
      {{"as measured", [](NearCall&) {}, kYes, {"keeps 7 and removes 120", "of which 0 were"}},
       {"one is missed", [](NearCall& n) { n.missed = 1; }, kPartly, {"of which 1 was not"}},
       {"one is wrong", [](NearCall& n) { n.wrong = 1; }, kPartly, {}},
       {"none is similar", [](NearCall& n) { n.similar = 0; }, kYes, {"0 documents are"}}});
}

}  // namespace
}  // namespace benzer::experiments::course_report
