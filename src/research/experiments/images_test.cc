// Tests what must hold in the experiment on images, whatever the images are.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "benzer/error.h"
#include "benzer/research/experiments.h"

#include "base/sanitized.h"
#include "research/experiments/picture_changes.h"
#include "research/experiments/picture_strategies.h"

namespace benzer::experiments {
namespace {

namespace fs = std::filesystem;

const PictureCases& made() {
  static const PictureCases cases =
      kSanitized ? made_picture_cases(5, 2) : made_picture_cases(5, 15);
  return cases;
}

const PicturePairs& made_pairs() {
  static const PicturePairs pairs = picture_pairs({.seed = 3, .threads = 0}, made());
  return pairs;
}

TEST(PicturePairs, AreAllThereAre) {
  const PictureCases& cases = made();
  const PicturePairs& pairs = made_pairs();
  EXPECT_EQ(pairs.same.size() + cases.groups, cases.cases.size());
  std::map<std::string, std::uint64_t> groups;
  for (const PictureCase& one : cases.cases) ++groups[one.group];
  EXPECT_EQ(groups.size(), cases.groups);
  const std::uint64_t size = cases.cases.size();
  std::uint64_t strangers = size * size;
  for (const auto& [group, count] : groups) strangers -= count * count;
  EXPECT_EQ(pairs.stranger_pairs, strangers / 2);
  for (std::size_t s = 0; s < kPictureStrategies.size(); ++s) {
    EXPECT_LE(pairs.strangers[s].size(), pairs.stranger_pairs);
    EXPECT_TRUE(std::is_sorted(pairs.strangers[s].begin(), pairs.strangers[s].end()));
  }
  EXPECT_EQ(pairs.strangers[kGrid16].size(), pairs.stranger_pairs);
}

TEST(PicturePairs, TheLoosestDistanceKeepsThePrecisionAndNoLargerOneDoes) {
  const PicturePairs& pairs = made_pairs();
  for (std::size_t s = 0; s < kPictureStrategies.size(); ++s) {
    const double distance = loosest(pairs, s, 0.99);
    ASSERT_GE(distance, 0) << kPictureStrategies[s].name;
    EXPECT_GE(count_within(pairs, s, distance).precision(), 0.99) << kPictureStrategies[s].name;
    for (const PicturePairs::Same& pair : pairs.same) {
      if (pair.apart[s] > distance && std::isfinite(pair.apart[s])) {
        EXPECT_LT(count_within(pairs, s, pair.apart[s]).precision(), 0.99);
      }
    }
  }
}

TEST(PicturePairs, NearFindsWhatPdqFindsOfMildChanges) {
  std::map<std::string, std::array<int, 2>> found;
  int turned = 0, as_it_is = 0;
  for (const PicturePairs::Same& pair : made_pairs().same) {
    const PictureCase& one = made().cases[pair.changed];
    const bool by_pdq = pair.apart[kPdq] <= kPictureStrategies[kPdq].limit;
    found[one.kind][0] += by_pdq ? 1 : 0;
    found[one.kind][1] += pair.apart[kNear] <= kPictureStrategies[kNear].limit ? 1 : 0;
    EXPECT_LE(pair.apart[kPdqTurned], pair.apart[kPdq]) << one.name;
    if (one.change != "rot90" && one.change != "rot180" && one.change != "fliph") continue;
    as_it_is += by_pdq ? 1 : 0;
    turned += pair.apart[kPdqTurned] <= kPictureStrategies[kPdqTurned].limit ? 1 : 0;
  }
  EXPECT_GE(found[std::string(kMild)][1], found[std::string(kMild)][0]);
  EXPECT_GT(turned, as_it_is);
}

TEST(PictureApart, IsZeroForEqualPicturesAndTheSameFromBothSides) {
  const PictureLoader loader({.seed = 3});
  std::vector<HashedPicture> some;
  for (std::size_t i = 0; i < (kSanitized ? 8 : 24); ++i) {
    PictureSeconds seconds{};
    some.push_back(hash_picture(loader.load(made().cases[i]), seconds));
    for (const double time : seconds) EXPECT_GE(time, 0);
  }
  for (const HashedPicture& a : some) {
    for (const double distance : apart(a, a)) EXPECT_EQ(distance, 0);
    for (const HashedPicture& b : some) EXPECT_EQ(apart(a, b), apart(b, a));
  }
}

TEST(Images, TablesAddUpAndNotEvenTheThreadsChangeThem) {
  const ExperimentResult one = images({.seed = 3, .threads = 3}, made());
  const ExperimentResult other = images({.seed = 3, .threads = 1}, made());
  ASSERT_EQ(one.tables.size(), other.tables.size());
  EXPECT_EQ(one.findings, other.findings);
  for (std::size_t t = 1; t < one.tables.size(); ++t)  // table 0 has times in its last column
    EXPECT_EQ(experiment_csv(one.tables[t]), experiment_csv(other.tables[t]));
  EXPECT_EQ(one.charts[0].svg, other.charts[0].svg);
  const ExperimentTable& changes = one.tables[1];
  std::map<std::string, double> of_kind, of_changes;
  for (const auto& row : changes.rows) {
    EXPECT_EQ(row.size(), changes.columns.size());
    (row[1].text == "all" ? of_kind : of_changes)[row[0].text] += *row[2].number;
  }
  EXPECT_EQ(of_kind["all"], static_cast<double>(made().cases.size() - made().groups));
  of_kind.erase("all");
  EXPECT_EQ(of_kind, of_changes);
}

// A groups.tsv may mark no original.
TEST(Images, WithoutOriginalsHaveNoHardChanges) {
  PictureCases files;
  for (const std::size_t number : {0u, 0u, 1u, 1u}) {
    PictureCase& one = files.cases.emplace_back();
    one.name = one.group = std::to_string(number);
    one.change = "copy";
    one.kind = std::string(kPhotometric);
    one.number = number;
  }
  files.originals = {0, 0, 2, 2};
  files.designs = {0, 0, 1, 1};
  files.groups = 2;
  const ExperimentResult found = images({.seed = 3, .threads = 1}, files);
  for (const std::string& finding : found.findings)
    EXPECT_EQ(finding.find("nan"), std::string::npos) << finding;
  for (const ExperimentTable& table : found.tables) EXPECT_NE(table.name, "images-changed-here");
}

class PictureFolder : public testing::Test {
 protected:
  PictureFolder()
      : folder_(fs::path(testing::TempDir()) / ("pictures" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
  }
  ~PictureFolder() override { fs::remove_all(folder_); }
  void write(const std::string& name, const std::string& bytes) {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << bytes;
  }
  PictureCases cases() const { return picture_cases({.data = folder_.string()}); }
  fs::path folder_;
};

TEST_F(PictureFolder, RowsAreReadAndPlainFilesAreStrangers) {
  write("a/groups.tsv",
        "file\tgroup\tvariant\tkind\nx.jpg\tx\toriginal\toriginal\n"
        "x-small.jpg\tx\tsmall\tgeometric-mild\ny.jpg\tkde-y\toriginal\toriginal\n");
  write("b/z.PNG", "");
  write("b/x.jpg", "");  // the original of x again
  write("b/notes.txt", "");
  write("c/groups.tsv", "file\tgroup\tvariant\tkind\r\ny2.jpg\ty\twide\tlandscape\r\n");
  const PictureCases read = cases();
  ASSERT_EQ(read.cases.size(), 5u);
  EXPECT_EQ(read.groups, 3u);
  EXPECT_EQ(read.cases[1].name, "a/x-small.jpg");
  EXPECT_EQ(read.originals[1], 0u);
  EXPECT_EQ(read.cases[3].group, "kde-y");  // the group whose name ends in "y"
  EXPECT_EQ(read.cases[3].kind, "landscape");
  EXPECT_EQ(read.originals[3], 2u);
  EXPECT_EQ(read.cases[4].name, "b/z.PNG");
  EXPECT_EQ(read.originals[4], 4u);
  const PictureCases changed = changed_here(read);
  ASSERT_EQ(changed.cases.size(), 3u * 6);
  EXPECT_EQ(changed.groups, 3u);
  EXPECT_EQ(changed.cases[7].name, "a/y.jpg__half");
  EXPECT_EQ(changed.cases[7].path, changed.cases[6].path);
  EXPECT_EQ(changed.originals[7], 6u);
}

TEST_F(PictureFolder, PicturesOfOneNameInSeveralFoldersAreStrangers) {
  for (const char* name : {"2019/IMG_1.jpg", "2019/IMG_1.png", "2020/IMG_1.jpg", "2020/IMG_2.jpg"})
    write(name, "");
  const PictureCases read = cases();
  EXPECT_EQ(read.groups, 4u);
  EXPECT_EQ(std::ranges::count_if(read.cases, [](const auto& one) { return one.kind.empty(); }), 4);
  EXPECT_EQ(std::set(read.designs.begin(), read.designs.end()).size(), 4u);
}

TEST_F(PictureFolder, LinksToFoldersAreNotFollowed) {
  for (const char* name : {"a.jpg", "b.jpg", "deeper/c.jpg"}) write(name, "");
  for (const char* name : {"one", "two"})
    fs::create_directory_symlink(folder_, folder_ / "deeper" / name);
  const PictureCases read = cases();
  EXPECT_EQ(read.groups, 3u);
  EXPECT_EQ(read.links, 2u);
}

TEST_F(PictureFolder, OneDesignInSeveralColoursIsNoStranger) {
  for (const char* name : {"a-b-red-d", "a-b-blue-d", "b-red", "b-blue", "a-c-green-d"})
    write(std::string("plain/") + name + ".jpg", "");
  write("groups.tsv",
        "file\tgroup\tvariant\tkind\nx.jpg\tx\toriginal\toriginal\nx2.jpg\tx\tcopy\tmild\n");
  const PictureCases read = cases();
  std::map<std::string, std::size_t> designs;
  for (std::size_t i = 0; i < read.cases.size(); ++i)
    designs[read.cases[i].group] = read.designs[i];
  EXPECT_EQ(designs["a-b-red-d"], designs["a-b-blue-d"]);
  EXPECT_NE(designs["b-red"], designs["b-blue"]);
  EXPECT_NE(designs["a-c-green-d"], designs["a-b-red-d"]);
  EXPECT_EQ(designs.size(), 6u);
}

TEST_F(PictureFolder, WhatDoesNotDoIsTold) {
  EXPECT_THROW(cases(), Error);  // the folder is empty
  write("groups.tsv", "file\tgroup\nx.jpg\tx\n");
  EXPECT_THROW(cases(), Error);
  write("groups.tsv", "file\tgroup\tvariant\tkind\nx.jpg\tx\n");
  EXPECT_THROW(cases(), Error);
  write("groups.tsv",
        "file\tgroup\tvariant\tkind\nx.jpg\tx\toriginal\toriginal\n"
        "y.jpg\tx\tsmall\tgeometric-mild\n");
  EXPECT_THROW(cases(), Error);  // no pair of different images
  EXPECT_THROW(picture_cases({.data = (folder_ / "missing").string()}), Error);
}

}  // namespace
}  // namespace benzer::experiments
