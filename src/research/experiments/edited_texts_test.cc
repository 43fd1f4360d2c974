// Tests the edits of texts, and the experiment on them.
#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "benzer/research/experiments.h"

#include "research/experiments/course_texts.h"
#include "research/experiments/text_edits.h"

namespace benzer::experiments {
namespace {

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

std::string edited(std::string_view name, const std::string& text, const std::string& other) {
  for (const TextEdit& edit : text_edits()) {
    if (edit.name != name) continue;
    Draws draws(4);
    return edit.apply(text, other, draws);
  }
  ADD_FAILURE() << name;
  return text;
}

TEST(TextEdits, DoWhatTheySay) {
  const std::vector<NamedText> texts = made_up_texts(1, 2);
  const std::string &text = texts[0].text, &other = texts[5].text;
  const std::vector<std::string> before = words(text);
  const auto differing = [&](std::string_view name) {
    const std::vector<std::string> after = words(edited(name, text, other));
    EXPECT_EQ(after.size(), before.size()) << name;
    std::size_t out = 0;
    for (std::size_t i = 0; i < std::min(after.size(), before.size()); ++i)
      out += after[i] != before[i] ? 1 : 0;
    return static_cast<double>(out) / static_cast<double>(before.size());
  };
  EXPECT_NEAR(differing("words-5"), 0.05, 0.02);  // by chance a word may replace itself
  EXPECT_NEAR(differing("words-10"), 0.10, 0.03);
  EXPECT_GT(differing("misread-1"), 0);
  EXPECT_GT(differing("misread-3"), differing("misread-1"));
  const auto count = [&](std::string_view name) {
    return static_cast<double>(words(edited(name, text, other)).size()) /
           static_cast<double>(before.size());
  };
  EXPECT_NEAR(count("deleted-5"), 0.95, 0.01);
  EXPECT_NEAR(count("inserted-5"), 1.05, 0.01);
  EXPECT_NEAR(count("half"), 0.5, 0.01);
  const std::vector<std::string> reordered = words(edited("reordered", text, other));
  EXPECT_NE(reordered, before);
  EXPECT_TRUE(
      std::is_permutation(reordered.begin(), reordered.end(), before.begin(), before.end()));
  EXPECT_TRUE(edited("notice-before", text, other).ends_with(text));
  EXPECT_TRUE(edited("notice-behind", text, other).starts_with(text));
  EXPECT_TRUE(edited("markup", text, other).starts_with("<!DOCTYPE html>"));
}

TEST(TextEdits, TakeAnyText) {
  std::set<std::string_view> names;
  for (const TextEdit& edit : text_edits()) {
    EXPECT_TRUE(names.insert(edit.name).second) << edit.name;
    for (const std::string text : {"", " \n", "word", "one two"}) {
      Draws draws(1), again(1);
      EXPECT_EQ(edit.apply(text, "", draws), edit.apply(text, "", again)) << edit.name;
    }
  }
}

TEST(EditedTexts, WhatMustHoldHolds) {
  const ExperimentResult result = run_experiment("text", {.seed = 2, .threads = 0});
  EXPECT_EQ(result.findings, run_experiment("text", {.seed = 2, .threads = 1}).findings);
  const auto table = [&](std::string_view name) -> const ExperimentTable& {
    for (const ExperimentTable& one : result.tables)
      if (one.name == name) return one;
    throw std::runtime_error("no such table");
  };
  const auto value = [](const ExperimentTable& of, std::string_view edit, std::string_view column) {
    const auto at = std::find(of.columns.begin(), of.columns.end(), column) - of.columns.begin();
    for (const auto& row : of.rows)
      if (row[0].text == edit) return *row[static_cast<std::size_t>(at)].number;
    throw std::runtime_error("no such row");
  };
  const ExperimentTable& jaccard = table("text-jaccard");
  EXPECT_EQ(value(jaccard, "case", "text:word3"), 1);
  EXPECT_EQ(value(jaccard, "marks", "text:char5"), 1);
  EXPECT_EQ(value(jaccard, "reordered", "text:word1"), 1);
  EXPECT_EQ(value(jaccard, "markup", "text:word3+html"), 1);
  EXPECT_LT(value(jaccard, "markup", "text:word3"), 0.9);
  for (const char* edit : {"words-5", "words-10", "misread-1"}) {
    EXPECT_GT(value(jaccard, edit, "text:word1"), value(jaccard, edit, "text:word3"));
    EXPECT_GT(value(jaccard, edit, "text:word3"), value(jaccard, edit, "text:word5"));
  }
  const ExperimentTable &reach8 = table("text-reach-8"), &reach5 = table("text-reach-5");
  const ExperimentTable &found8 = table("text-found-8"), &found5 = table("text-found-5");
  for (std::size_t row = 0; row < reach8.rows.size(); ++row) {
    for (std::size_t column = 2; column < reach8.columns.size(); ++column) {
      EXPECT_GE(*reach5.rows[row][column].number, *reach8.rows[row][column].number);
      EXPECT_LE(*found8.rows[row][column].number, *reach8.rows[row][column].number);
      EXPECT_LE(*found5.rows[row][column].number, *reach5.rows[row][column].number);
    }
  }
  for (const auto& row : table("text-sketches").rows) {
    EXPECT_LE(*row[5].number, *row[4].number);
    EXPECT_GT(*row[6].number, 0.95) << row[0].text;  // the plan has 0.99 at the threshold itself
    EXPECT_LT(*row[7].number, 0.045) << row[0].text;
  }
}

}  // namespace
}  // namespace benzer::experiments
