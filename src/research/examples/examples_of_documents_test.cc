// Tests the calls of the course report with values of one's own, and the worked examples.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benzer/error.h"
#include "benzer/research/classics/course.h"
#include "benzer/research/experiments.h"

#include "base/error_test_util.h"

namespace benzer {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::Not;

// A folder of files with names that no other experiment takes for texts.
class CallsOfTheCourse : public testing::Test {
 protected:
  CallsOfTheCourse()
      : folder_(std::filesystem::temp_directory_path() /
                ("benzer-calls-" + std::to_string(std::random_device()()))) {
    std::filesystem::create_directory(folder_);
    std::string text;
    for (int i = 0; i < 40; ++i) {
      text += "word" + std::to_string(i) + " ";
      if (i >= 30) std::ofstream(folder_ / ("file" + std::to_string(i))) << text;
    }
    options_.data = folder_.string();
    options_.values.slots = 40;
  }
  ~CallsOfTheCourse() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
  ExperimentOptions options_;
};

TEST_F(CallsOfTheCourse, AccuracyIsThatOfTheClass) {
  for (const double eps : {0.01, 0.05, 0.3}) {
    options_.values.eps = eps;
    const ExperimentResult result = run_experiment("course-accuracy", options_);
    EXPECT_EQ(*result.tables[0].rows[0][2].number, 45) << "pairs of ten files";
    EXPECT_EQ(*result.tables[0].rows[0][3].number,
              static_cast<double>(classics::course::MinHashAccuracy::accuracy(options_.data, 40,
                                                                              eps, options_.seed)));
  }
}

TEST_F(CallsOfTheCourse, TimerCountsComparisons) {
  const ExperimentResult result = run_experiment("course-timer", options_);
  EXPECT_EQ(*result.tables[0].rows[1][1].number, 45 * 40);
}

TEST_F(CallsOfTheCourse, NearFindsWhatTheDetectorFinds) {
  options_.values.bands = 10;
  options_.values.threshold = 0.9;
  options_.values.id = "file35";
  const ExperimentResult result = run_experiment("course-near", options_);
  std::vector<std::string> near;
  for (const auto& row : result.tables[0].rows) {
    near.push_back(row[0].text);
    EXPECT_GE(*row[1].number, 0.9);
  }
  EXPECT_EQ(near, classics::course::near_duplicate_detector(options_.data, 40, 10, 0.9, "file35",
                                                            options_.seed));
  EXPECT_FALSE(near.empty());
  for (const auto& row : result.tables[1].rows) EXPECT_LT(*row[1].number, 0.9);
  // 32 to 39 of 36 words: J >= 0.9 for 33 to 40 words, file32 to file39 without file35.
  EXPECT_THAT(result.findings[1], HasSubstr("Exactly, 7 documents are at least 0.9 similar"));
  EXPECT_THAT(experiment_json(result),
              HasSubstr("--slots 40 --bands 10 --threshold 0.9 --id 'file35'"));
}

TEST_F(CallsOfTheCourse, ValuesAreChecked) {
  const auto sentence = [&](std::string_view name, auto change) {
    ExperimentOptions options = options_;
    if (name == "course-near") options.values.bands = 10;
    change(options.values);
    const std::string_view names[] = {name};
    const std::string checked = error_of([&] { check_experiments(names, options); }).what();
    EXPECT_EQ(checked, error_of([&] { run_experiment(name, options); }).what());
    return checked;
  };
  EXPECT_THAT(sentence("course-near", [](auto& v) { v.id = "nobody"; }), HasSubstr("nobody"));
  EXPECT_THAT(sentence("course-near", [](auto& v) { v.threshold = 1.5; }),
              HasSubstr("the threshold is 1.5"));
  EXPECT_THAT(sentence("course-near", [](auto& v) { v.bands = 41; }), HasSubstr("give 1 to 40"));
  EXPECT_THAT(sentence("course-accuracy", [](auto& v) { v.eps = NAN; }), HasSubstr("error eps"));
  EXPECT_THAT(sentence("course-timer", [](auto& v) { v.slots = 1000; }), HasSubstr("or fewer"));
  EXPECT_THAT(sentence("course-timer", [](auto& v) { v.eps = 0.1; }),
              HasSubstr("'course-timer' takes no value 'eps'"));
}

TEST_F(CallsOfTheCourse, TextsWithTooFewTermsAreRefusedBeforeTheWork) {
  options_.values = {};
  for (const std::string_view name :
       {"course-table-1", "course-table-2", "course-table-3", "course-table-4", "course-fig-1",
        "course-fig-2", "course-fig-3"}) {
    const Error error = error_of([&] { check_experiments({&name, 1}, options_); });
    EXPECT_THAT(error.what(), HasSubstr("permutations cannot all be different")) << name;
  }
}

// Originals with 1,100 terms; near-copies bring 2 further ones each.
TEST_F(CallsOfTheCourse, TermsOfNearCopiesCountToo) {
  const std::filesystem::path folder = folder_ / "texts";
  std::filesystem::create_directory(folder);
  for (int i = 0; i < 20; ++i) {
    std::ofstream file(folder / ("text" + std::to_string(i) + ".txt"));
    for (int word = 0; word < 55; ++word) file << "word" << i * 55 + word << ' ';
  }
  options_ = {};
  options_.data = folder.string();
  constexpr std::string_view kNames[] = {"course-table-3", "course-table-4", "course-fig-3"};
  EXPECT_NO_THROW(check_experiments(kNames, options_));
  for (const std::string_view name : kNames) EXPECT_NO_THROW(run_experiment(name, options_));
}

TEST(ExamplesOfDocuments, ComeOutAsPrinted) {
  for (const std::string_view name : {"blog-examples", "slides-shingles", "scala-examples"}) {
    const ExperimentResult result = run_experiment(name, {});
    EXPECT_THAT(result.findings, Each(Not(HasSubstr("mistake")))) << name;
    for (const ExperimentTable& table : result.tables)
      for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size()) << table.name;
  }
  const ExperimentResult scala = run_experiment("scala-examples", {});
  EXPECT_EQ(*scala.tables[0].rows[0][3].number, 1);
  for (const auto& row : scala.tables[1].rows) {
    EXPECT_EQ(row[1].text, "yes");
    EXPECT_EQ(row[2].text, row[3].text);
  }
  const ExperimentResult slides = run_experiment("slides-shingles", {});
  EXPECT_EQ(slides.tables[0].rows[1][4].text, "\"touchdown\"");
}

}  // namespace
}  // namespace benzer
