// Replays docs/classics.md: computes every table of its example again.
#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benzer/research/classics/report.h"
#include "benzer/research/classics/slides.h"

namespace benzer::classics {
namespace {

using Row = std::vector<std::string>;
using Table = std::vector<Row>;  // without the header and the line below it

std::vector<std::string> words_of(const std::string& text, char at) {
  std::vector<std::string> words;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, at);) {
    const std::size_t begin = word.find_first_not_of(' ');
    words.push_back(
        begin == word.npos ? "" : word.substr(begin, word.find_last_not_of(' ') + 1 - begin));
  }
  return words;
}

// The tables below each heading.
std::map<std::string, std::vector<Table>> tables_of_page() {
  std::ifstream page(BENZER_SOURCE_DIR "/docs/classics.md");
  std::map<std::string, std::vector<Table>> tables;
  std::string heading;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## ")) heading = line.substr(3);
    if (line.starts_with("| ")) {
      if (!inside) tables[heading].emplace_back();
      Row row = words_of(line.substr(2, line.size() - 3), '|');
      if (inside && !row[0].starts_with("---")) tables[heading].back().push_back(std::move(row));
    }
    inside = line.starts_with("| ");
  }
  return tables;
}

std::string four_digits(double value) { return fmt::format("{:.4g}", value); }

class WalkThrough : public testing::Test {
 protected:
  WalkThrough() {
    for (const Row& row : tables_["A characteristic matrix"].at(0)) {
      elements_.push_back(row[0]);
      for (std::size_t i = 0; i < 4; ++i)
        if (row[i + 1] == "1") sets_[i].push_back(row[0]);
    }
  }

  report::CharacteristicMatrix matrix() const { return {elements_, sets_}; }

  std::string min_hash(std::size_t document, const std::string& order) const {
    std::vector<std::size_t> rows;
    for (const std::string& word : words_of(order, ' '))
      rows.push_back(static_cast<std::size_t>(std::find(elements_.begin(), elements_.end(), word) -
                                              elements_.begin()));
    return matrix().min_hash(document, rows).value();
  }

  // Checks a table of estimates against a table of signatures.
  void expect_estimates(const Table& signatures, const Table& table) const {
    ASSERT_EQ(table.size(), 6u);
    for (const Row& row : table) {
      const auto [a, b] = pair_of(row);
      int equal = 0;
      for (const Row& values : signatures) equal += values[a + 1] == values[b + 1];
      EXPECT_EQ(row[1], std::to_string(equal)) << row[0];
      EXPECT_EQ(row[2], four_digits(equal / 4.0)) << row[0];
      EXPECT_EQ(row[3], four_digits(matrix().row_types(a, b).similarity())) << row[0];
    }
  }

  // Checks a table of two bands against a table of signatures. Returns the candidates.
  static std::vector<std::string> expect_bands(const Table& signatures, const Table& table) {
    std::vector<std::string> all;
    EXPECT_EQ(table.size(), 2u);
    for (std::size_t band = 0; band < table.size(); ++band) {
      const Row& row = table[band];
      std::string candidates;
      for (std::size_t i = 1; i <= 4; ++i) {
        EXPECT_EQ(row[i], signatures[2 * band][i] + " " + signatures[2 * band + 1][i]);
        for (std::size_t j = i + 1; j <= 4; ++j)
          if (row[i] == row[j]) candidates += fmt::format("D{} D{}", i, j);
      }
      EXPECT_EQ(row[5], candidates.empty() ? "none" : candidates);
      if (!candidates.empty()) all.push_back(candidates);
    }
    return all;
  }

  static std::pair<std::size_t, std::size_t> pair_of(const Row& row) {
    return {static_cast<std::size_t>(row[0][1] - '1'), static_cast<std::size_t>(row[0][4] - '1')};
  }

  std::map<std::string, std::vector<Table>> tables_ = tables_of_page();
  std::vector<std::string> elements_;
  std::vector<std::vector<std::string>> sets_ = std::vector<std::vector<std::string>>(4);
};

TEST_F(WalkThrough, Similarities) {
  const Table& table = tables_["A characteristic matrix"].at(1);
  ASSERT_EQ(table.size(), 6u);
  for (const Row& row : table) {
    const auto [a, b] = pair_of(row);
    const auto types = matrix().row_types(a, b);
    EXPECT_EQ(row[1], std::to_string(types.x)) << row[0];
    EXPECT_EQ(row[2], std::to_string(types.x + types.y)) << row[0];
    EXPECT_EQ(row[3], four_digits(types.similarity())) << row[0];
  }
}

TEST_F(WalkThrough, MinHashes) {
  for (const char* heading : {"One permutation", "One signature"}) {
    const Table& table = tables_[heading].at(0);
    ASSERT_FALSE(table.empty());
    for (const Row& row : table)
      for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(row[i + 1], min_hash(i, row[0])) << row[0];
  }
}

TEST_F(WalkThrough, Estimates) {
  for (const char* heading : {"One signature", "Signatures by hash functions"}) {
    const std::vector<Table>& tables = tables_[heading];
    ASSERT_GE(tables.size(), 2u) << heading;
    expect_estimates(tables[tables.size() - 2], tables.back());
  }
}

TEST_F(WalkThrough, Bands) {
  expect_bands(tables_["One signature"].at(0), tables_["One band"].at(0));
}

TEST_F(WalkThrough, HashFunctions) {
  // The functions as the page heads its columns: "3x + 1".
  const std::vector<std::pair<std::string, slides::UniversalHash>> hashes = {
      {"2x", {2, 0, 7, 7}},
      {"3x + 1", {3, 1, 7, 7}},
      {"x + 2", {1, 2, 7, 7}},
      {"4x + 3", {4, 3, 7, 7}}};
  const Table& values = tables_["Signatures by hash functions"].at(0);
  ASSERT_EQ(values.size(), elements_.size());
  std::vector<std::string> ones;  // the rows of the matrix, as 0 and 1
  for (std::size_t x = 0; x < values.size(); ++x) {
    EXPECT_EQ(values[x][0], elements_[x]);
    EXPECT_EQ(values[x][1], std::to_string(x));
    for (std::size_t i = 0; i < hashes.size(); ++i)
      EXPECT_EQ(values[x][i + 2], std::to_string(hashes[i].second(x))) << x;
    std::string& row = ones.emplace_back();
    for (std::size_t document = 0; document < 4; ++document)
      row += matrix().at(x, document) ? '1' : '0';
  }
  std::vector<slides::UniversalHash> functions;
  for (const auto& [name, function] : hashes) functions.push_back(function);
  const slides::BooleanMatrix boolean(std::vector<std::string_view>(ones.begin(), ones.end()));
  const slides::SignatureMatrix signatures = slides::signatures(boolean, functions);
  const Table& table = tables_["Signatures by hash functions"].at(1);
  ASSERT_EQ(table.size(), hashes.size());
  for (std::size_t i = 0; i < table.size(); ++i) {
    EXPECT_EQ(table[i][0], hashes[i].first + " mod 7");
    for (std::size_t document = 0; document < 4; ++document)
      EXPECT_EQ(table[i][document + 1], std::to_string(signatures[i][document]));
  }
}

TEST_F(WalkThrough, FalsePositives) {
  const Table& signatures = tables_["Signatures by hash functions"].at(1);
  const Table& estimates = tables_["Signatures by hash functions"].at(2);
  const std::vector<std::string> candidates =
      expect_bands(signatures, tables_["Removing a false positive"].at(0));
  const Table& table = tables_["Removing a false positive"].at(1);
  ASSERT_EQ(table.size(), candidates.size());
  for (std::size_t i = 0; i < table.size(); ++i) {
    const Row& row = table[i];
    EXPECT_EQ(row[0], candidates[i]);
    const auto same = [&](const Row& other) { return other[0] == row[0]; };
    const auto of_pair = std::find_if(estimates.begin(), estimates.end(), same);
    ASSERT_NE(of_pair, estimates.end());
    EXPECT_EQ(row[1], (*of_pair)[2]);
    EXPECT_EQ(row[2], (*of_pair)[3]);
    EXPECT_EQ(row[3], std::stod(row[1]) >= 0.7 && std::stod(row[2]) >= 0.7 ? "kept" : "removed");
  }
}

}  // namespace
}  // namespace benzer::classics
