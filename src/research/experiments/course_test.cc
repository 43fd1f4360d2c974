#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benzer/banding.h"
#include "benzer/error.h"

#include "base/random_seed.h"
#include "base/sanitized.h"
#include "base/splitmix.h"
#include "research/experiments/course_search.h"
#include "research/experiments/course_texts.h"
#include "research/experiments/runs.h"

namespace benzer::experiments {
namespace {

using namespace course_report;
using testing::ElementsAre;
using testing::HasSubstr;

// Seeds are different in each run, and printed with a failure. The bounds below fail for one seed
// in a billion.

// How far the mean of n independent numbers within [0, 1] may be from its expectation. It is
// further away with a probability of at most 2 exp(-2 n t^2) (Hoeffding), which is 1e-9 at this t.
double hoeffding(double n) { return std::sqrt(std::log(2e9) / (2 * n)); }

TEST(CourseTexts, NamesTellOriginalsAndKinds) {
  EXPECT_EQ(original_of("space-480.txt.copy5"), "space-480.txt");
  EXPECT_EQ(original_of("space-480.txt"), "space-480.txt");
  EXPECT_EQ(original_of("my.copybook"), "my.copybook");
  EXPECT_EQ(original_of("a.copy"), "a.copy");
  EXPECT_EQ(kind_of("space-480.txt"), "space");
  EXPECT_EQ(kind_of("bible12.txt"), "bible");
}

TEST(CourseTexts, MadeUpTextsAreWhatTheirHeaderSays) {
  const std::vector<NamedText> texts = made_up_texts(7, 40);
  ASSERT_EQ(texts.size(), 120u);
  EXPECT_TRUE(std::is_sorted(texts.begin(), texts.end(),
                             [](const auto& a, const auto& b) { return a.name < b.name; }));
  const TermSets sets(texts);
  double terms = 0, similarity = 0;
  for (std::size_t doc = 0; doc < 40; ++doc) {  // one kind
    EXPECT_TRUE(texts[doc].text.size() >= 1000 && texts[doc].text.size() < 2100);
    terms += static_cast<double>(sets.terms(doc).size()) / 40;
    similarity += sets.exact_jaccard(doc, (doc + 1) % 40) / 40;
  }
  EXPECT_TRUE(terms > 130 && terms < 190) << terms;
  EXPECT_TRUE(similarity > 0.07 && similarity < 0.15) << similarity;
  EXPECT_EQ(made_up_texts(7, 40)[5].text, texts[5].text);
  EXPECT_NE(made_up_texts(8, 40)[5].text, texts[5].text);
}

TEST(CourseTexts, CopiesAreNearTheirOriginalAndEachOther) {
  Texts texts;
  texts.originals = made_up_texts(3, 5);
  const std::vector<NamedText> all = with_copies(std::move(texts), 3);
  ASSERT_EQ(all.size(), 15u * 8);
  const TermSets sets(all);
  EXPECT_EQ(all[0].name, "first-0.txt");
  EXPECT_EQ(all[7].name, "first-0.txt.copy7");
  EXPECT_NEAR(sets.exact_jaccard(0, 1), 0.96, 0.015);
  EXPECT_NEAR(sets.exact_jaccard(1, 7), 0.92, 0.02);
  EXPECT_THAT(Copies({std::make_shared<const TermSets>(sets), ""}).group_of(2),
              ElementsAre(0, 1, 3, 4, 5, 6, 7));
}

TEST(CourseTheory, TheBinomialDistributionIsOne) {
  EXPECT_THAT(binomial(2, 0.5),
              ElementsAre(testing::DoubleNear(.25, 1e-12), testing::DoubleNear(.5, 1e-12),
                          testing::DoubleNear(.25, 1e-12)));
  for (const double p : {0.0, 1e-9, 0.03, 0.5, 0.97, 1.0}) {
    const std::vector<double> all = binomial(1200, p);
    EXPECT_NEAR(std::accumulate(all.begin(), all.end(), 0.0), 1, 1e-9) << p;
    double mean = 0;
    for (std::size_t x = 0; x < all.size(); ++x) mean += static_cast<double>(x) * all[x];
    EXPECT_NEAR(mean, 1200 * p, 1e-6) << p;
  }
  EXPECT_DOUBLE_EQ(off_by_more(binomial(2, 0.5), 0.5, 0.4), 0.5);
}

TEST(CourseTheory, FoundIsMetAndEstimatedEnough) {
  const Banding banding{10, 6};
  for (const double j : {0.3, 0.8, 0.95}) {
    // Without a threshold it is the probability to meet in a band; with bands of one row, that of
    // the threshold.
    EXPECT_NEAR(found_probability(j, 64, 10, 0), banding.candidate_probability(j), 1e-9);
    double tail = 0;
    const std::vector<double> all = binomial(64, j);
    for (std::size_t x = 52; x <= 64; ++x) tail += all[x];  // 52 / 64 >= 0.8
    EXPECT_NEAR(found_probability(j, 64, 64, 0.8), tail, 1e-9);
  }
  // By hand: two bands of one row, and both slots must be equal.
  EXPECT_NEAR(found_probability(0.5, 2, 2, 0.9), 0.25, 1e-12);
}

// Two sets of 60 with 54 in common (J = 54 / 66), with independent hash functions for each trial.
struct Trials {
  MinHashMatrix matrix;
  std::vector<std::size_t> firsts;
};
Trials trials(std::size_t count, const std::string& sketch, std::uint64_t seed) {
  std::vector<NamedText> texts(2);
  for (int word = 0; word < 66; ++word) {
    const std::string text = "word" + std::to_string(word) + " ";
    if (word < 60) texts[0].text += text;
    if (word >= 6) texts[1].text += text;
  }
  texts[1].name = "other";
  const TermSets sets(texts);
  EXPECT_DOUBLE_EQ(sets.exact_jaccard(0, 1), 54.0 / 66);
  Trials out;
  for (std::size_t trial = 0; trial < count; ++trial) {
    const MinHashMatrix pair = sketched(sets, sketch, seed + trial);
    out.matrix.permutations = pair.permutations;
    out.matrix.documents += 2;
    out.matrix.values.insert(out.matrix.values.end(), pair.values.begin(), pair.values.end());
    out.firsts.push_back(2 * trial);
  }
  return out;
}

TEST(CourseStatistics, PairsMeetAsOftenAsTheFormulaSays) {
  const std::uint64_t seed = random_seed();
  SCOPED_TRACE(seed);
  constexpr std::size_t kTrials = 20000;
  const Trials all = trials(kTrials, "kperm:60", seed);
  for (const std::size_t bands : {6u, 10u, 20u}) {
    const Candidates met = candidates_by_keys(all.matrix, bands, all.firsts);
    std::size_t pairs = 0, strangers = 0;
    for (std::size_t trial = 0; trial < kTrials; ++trial) {
      for (const std::size_t other : met[trial]) ++(other == 2 * trial + 1 ? pairs : strangers);
    }
    const Banding banding{static_cast<int>(bands), static_cast<int>(60 / bands)};
    EXPECT_NEAR(static_cast<double>(pairs) / kTrials, banding.candidate_probability(54.0 / 66),
                hoeffding(kTrials))
        << bands;
    // Bands have 3 slots of 32 bits or more: each of 8e8 pairs of unrelated documents meets in a
    // band with probability 2^-64 only.
    EXPECT_EQ(strangers, 0u);
  }
}

TEST(CourseStatistics, EstimatesAreOffAsOftenAsTheBinomialTail) {
  const std::uint64_t seed = random_seed();
  SCOPED_TRACE(seed);
  constexpr std::size_t kTrials = 20000;
  const Trials all = trials(kTrials, "kperm:64", seed);
  for (const double error : {0.02, 0.05, 0.1}) {
    std::size_t off = 0;
    for (const std::size_t first : all.firsts)
      off += std::abs(classics::course::approximate_jaccard(all.matrix.signature(first),
                                                            all.matrix.signature(first + 1)) -
                      54.0 / 66) > error;
    EXPECT_NEAR(static_cast<double>(off) / kTrials,
                off_by_more(binomial(64, 54.0 / 66), 54.0 / 66, error), hoeffding(kTrials))
        << error;
  }
}

// Tests the functions of the course on texts. Given the texts, draws of functions are independent,
// so the mean over the six pairs of a draw is one observation, within 1 of its expectation. With 60
// slots the mean has a variance of q (1 - q) (1 / 60 + 3 / p), where q is the probability that a
// slot is equal. Functions are drawn without repeats, so two of them are both equal, or both not,
// at most (p / (p - 1))^2 times as often as if they were independent. By Bernstein, the mean is
// further off than sqrt(2 v x / n) + 2 x / (3 n) with a probability of at most 2 exp(-x), 1e-10
// with x = ln(2e10). The shares are bounded by Hoeffding.
//
// Linear functions are biased on consecutive numbers of terms. Over 100,000 draws (100 seeds of
// texts) estimates of copies of a text were 0.0110 too low, and those of two texts of a kind 0.0051
// too high, with standard deviations between seeds of 0.0007 and 0.0018. Three bands of 20 rows
// found a share of pairs of copies that was 0.085 below the formula, with a deviation of 0.007. The
// test expects these figures; its tolerance adds eight standard deviations of the means over 20
// seeds.
TEST(CourseStatistics, FunctionsOfTheCourseAreAsUnfairAsMeasured) {
  const std::uint64_t seed = random_seed();
  SCOPED_TRACE(seed);
  constexpr std::size_t kSeeds = 20;
  const std::size_t draws = kSanitized ? 20 : 200;
  const auto n = static_cast<double>(kSeeds * draws);
  double copies = 0, of_a_kind = 0, met = 0;                    // errors
  double copies_variance = 0, of_a_kind_variance = 0, p = 1e9;  // J (1 - J), on average
  for (std::size_t trial = 0; trial < kSeeds; ++trial) {
    Texts made;
    made.originals = made_up_texts(seed + trial, 2);
    const auto sets = std::make_shared<const TermSets>(with_copies(std::move(made), seed + trial));
    ASSERT_EQ(sets->size(), 6u * 8);
    p = std::min(p, static_cast<double>(sets->num_terms()));
    for (std::size_t draw = 0; draw < draws; ++draw) {
      const classics::course::MinHash min_hash(sets, 60, splitmix64(seed + trial) + draw);
      const MinHashMatrix& matrix = min_hash.min_hash_matrix();
      const auto error = [&](std::size_t a, std::size_t b, double& variance) {
        const double j = sets->exact_jaccard(a, b);
        variance += j * (1 - j) / 6 / n;
        return (classics::course::approximate_jaccard(matrix.signature(a), matrix.signature(b)) -
                j) /
               6 / n;
      };
      for (std::size_t text = 0; text < 6; ++text) {
        const std::size_t a = 8 * text + 3, b = 8 * text + 5;
        copies += error(a, b, copies_variance);
        of_a_kind += error(8 * text, 8 * (text ^ 1), of_a_kind_variance);
        bool meet = false;
        for (std::size_t band = 0; band < 3; ++band)
          meet = meet || std::ranges::equal(matrix.signature(a).subspan(20 * band, 20),
                                            matrix.signature(b).subspan(20 * band, 20));
        met += ((meet ? 1 : 0) - Banding{3, 20}.candidate_probability(sets->exact_jaccard(a, b))) /
               6 / n;
      }
    }
  }
  const double x = std::log(2e10);
  const auto bernstein = [&](double variance) {  // q (1 - q) is within 0.011 of J (1 - J)
    return std::sqrt(2 * (variance + 0.011) * (1.0 / 60 + 3 / p) * x / n) + 2 * x / (3 * n);
  };
  EXPECT_NEAR(copies, -0.0110, bernstein(copies_variance) + 0.0013);
  EXPECT_NEAR(of_a_kind, 0.0051, bernstein(of_a_kind_variance) + 0.0033);
  EXPECT_NEAR(met, -0.085, hoeffding(n) + 0.0125);
}

// A band of an unrelated document is in the bucket of a query once in p tables, so 12 bands of
// 1,000 documents give a query about 12 unrelated candidates. All queries share the functions, for
// which no bound of one in a billion is known, so the seeds are fixed.
TEST(CourseStatistics, TablesOfPrimeSizeBringAStrangerABand) {
  std::vector<NamedText> texts(1000);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    texts[i].name = "doc" + std::to_string(i);
    for (std::size_t word = 0; word < 20; ++word)
      texts[i].text += "w" + std::to_string(20 * i + word) + "x ";
  }
  for (const std::uint64_t seed : {1, 2, 3}) {
    const classics::course::MinHash min_hash(texts, 60, seed);
    const classics::course::LSH lsh(min_hash.min_hash_matrix(), min_hash.all_docs(), 12, seed + 1);
    double strangers = 0;
    for (std::size_t doc = 0; doc < 1000; ++doc)
      strangers += static_cast<double>(lsh.near_duplicates_of(doc).size()) / 1000;
    EXPECT_NEAR(strangers, 12, 2) << seed;
  }
}

TEST(CourseSearch, KeysFindWhatAgreesInABand) {
  const MinHashMatrix matrix{4, 5, {1, 2, 3, 4, 9, 1, 2, 7, 7, 7, 5, 5, 3, 4, 5, 2, 1, 4, 3, 9}};
  EXPECT_THAT(candidates_by_keys(matrix, 2, std::vector<std::size_t>{0, 3}),
              ElementsAre(ElementsAre(1, 2), testing::IsEmpty()));
}

TEST(CourseSearch, QueriesAreDifferentDocuments) {
  const auto queries = draw_queries(100, 60, 5);
  EXPECT_EQ(std::set<std::size_t>(queries.begin(), queries.end()).size(), 60u);
  EXPECT_EQ(draw_queries(100, 60, 5), queries);
  EXPECT_EQ(draw_queries(10, 60, 5).size(), 10u);
}

// A folder of generated texts without copies: 24 of each of three kinds.
class CourseExperiments : public testing::Test {
 protected:
  CourseExperiments()
      : folder_(std::filesystem::temp_directory_path() /
                ("benzer-course-" + std::to_string(random_seed()))) {
    std::filesystem::create_directory(folder_);
    for (const NamedText& text : made_up_texts(1, 24))
      std::ofstream(folder_ / text.name, std::ios::binary) << text.text;
    options_.data = folder_.string();
  }
  ~CourseExperiments() override { std::filesystem::remove_all(folder_); }

  ExperimentOptions options_;

 private:
  std::filesystem::path folder_;
};

TEST_F(CourseExperiments, GiveWholeTablesAndCharts) {
  using Experiment = ExperimentResult (*)(const ExperimentOptions&);
  for (const Experiment run :
       {Experiment{course_table_1}, Experiment{course_table_2}, Experiment{course_table_3},
        Experiment{course_table_4}, Experiment{course_fig_1}, Experiment{course_fig_2},
        Experiment{course_fig_3}}) {
    const ExperimentResult result = run(options_);
    SCOPED_TRACE(result.name);
    EXPECT_FALSE(result.tables.empty());
    EXPECT_EQ(result.tables[0].name, result.name);
    EXPECT_FALSE(result.findings.empty());
    for (const ExperimentTable& table : result.tables)
      for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size());
    for (const ExperimentChart& chart : result.charts) EXPECT_THAT(chart.svg, HasSubstr("</svg>"));
    for (const std::string& finding : result.findings) {
      EXPECT_THAT(finding, testing::Not(HasSubstr("nan")));
      EXPECT_THAT(finding, testing::Not(HasSubstr("inf ")));
    }
  }
}

TEST_F(CourseExperiments, RepeatWithTheSeed) {
  EXPECT_EQ(course_table_1(options_).findings, course_table_1(options_).findings);
  const ExperimentResult first = course_table_4(options_);
  EXPECT_EQ(course_table_4(options_).findings, first.findings);
  options_.seed = 2;
  EXPECT_NE(course_table_4(options_).findings, first.findings);
}

TEST_F(CourseExperiments, FindNearlyAllOfTheCopiesThatThereAre) {
  const ExperimentTable table = course_table_4(options_).tables.at(0);
  // 120 bands of 10 rows: at J above 0.9 a pair fails to meet once in 10^20.
  EXPECT_GT(table.rows.back()[4].number.value(), 6.0);
  EXPECT_EQ(table.rows.back()[8].number.value(), 7.0);
}

TEST_F(CourseExperiments, EndWhenTheyAreAskedTo) {
  std::atomic<bool> stop = true;
  options_.stop = &stop;
  EXPECT_THROW(course_table_1(options_), Error);
  EXPECT_THROW(course_table_2(options_), Error);
  EXPECT_THROW(course_table_4(options_), Error);
}

TEST_F(CourseExperiments, SayWhatIsWrongWithAFolder) {
  options_.data = "/nowhere/at/all";
  EXPECT_THROW(course_table_1(options_), Error);
  EXPECT_THROW(course_fig_3(options_), Error);
}

TEST_F(CourseExperiments, CountWhatTheReportCounts) {
  const ExperimentTable table = course_table_2(options_).tables.at(0);
  EXPECT_EQ(table.rows[0][3].number, 24.0 * 23 / 2 * 100);
}

}  // namespace
}  // namespace benzer::experiments
