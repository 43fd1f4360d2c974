#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "benzer/index.h"

#include "base/test_random.h"

namespace benzer {
namespace {

// Makes sets of 1, 2 and 8 equal documents, with a third of all documents in sets of each size.
Index families() {
  Index index = Index::in_memory(Schema::parse("text=text:word1 | fss:128 | bands:16x6 | min:0.8"));
  TestRandom random(5);
  std::vector<Document> documents;
  for (const int size : {1, 2, 8})
    for (int family = 0; family < 480 / size; ++family) {
      std::string words;
      for (int word = 0; word < 20; ++word) words += std::to_string(random.next()) + " ";
      for (int copy = 0; copy < size; ++copy)
        documents.push_back({std::to_string(documents.size()), {Field::of_text("text", words)}});
    }
  index.index_documents(documents);
  return index;
}

TEST(SampleTest, CountsBucketsAndSimilarities) {
  const Index index = families();
  const SampleFigures all = index.sample(10'000);  // more than there are, so it draws all
  EXPECT_EQ(all.documents, 1440U);
  EXPECT_EQ(all.pairs, 1440U * 1439 / 2);
  EXPECT_EQ(std::accumulate(all.scores.begin(), all.scores.end(), std::uint64_t{0}), all.pairs);
  EXPECT_EQ(all.scores.back(), 240U + 60 * 28);
  EXPECT_EQ(all.scores.front(), all.pairs - all.scores.back());
  EXPECT_EQ(all.largest_bucket, 8U);
  EXPECT_EQ(all.candidates, 480U + 480 * 7);
  EXPECT_EQ(all.similar, all.candidates);
  ASSERT_EQ(all.buckets.size(), 3U);
  const double expected[] = {480 * 16, 240 * 16, 60 * 16};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(all.buckets[i].entries, 480U * 16) << i;
    EXPECT_NEAR(all.buckets[i].buckets, expected[i], 1e-6) << i;
  }
  EXPECT_EQ(all.buckets[2].from, 5U);
  EXPECT_EQ(all.buckets[2].to, 8U);
}

TEST(SampleTest, ASmallerOneEstimates) {
  const Index index = families();
  // Each document without an equal one has 16 buckets of size 1. How many of these are among 300
  // drawn from 1440 without replacement, of which they are a third, has a hypergeometric
  // distribution. The estimate may be off by five of its standard deviations.
  const SampleFigures some = index.sample(300, 1);
  EXPECT_EQ(some.documents, 300U);
  const double deviation = std::sqrt(300 * (1.0 / 3) * (2.0 / 3) * (1140.0 / 1439));
  EXPECT_NEAR(some.buckets[0].buckets, 480 * 16, 5 * deviation * 16 * 1440 / 300);
  // Entries and buckets are estimated for all documents, as whole numbers.
  std::uint64_t entries = 0;
  for (const SampleFigures::Buckets& row : some.buckets) {
    entries += row.entries;
    EXPECT_EQ(row.buckets, std::round(row.buckets)) << row.from;
  }
  EXPECT_NEAR(static_cast<double>(entries), 1440 * 16, 3);
  EXPECT_NEAR(some.buckets[0].buckets, static_cast<double>(some.buckets[0].entries), 1);
  const SampleFigures again = index.sample(300, 1);
  EXPECT_EQ(some.scores, again.scores);
  EXPECT_NE(some.scores, index.sample(300, 2).scores);
}

TEST(SampleTest, WhatHasExpiredIsNotThere) {
  const Schema schema =
      Schema::parse("text=text:word2 | expires_at=time | fss:128 | bands:16x6 | min:0.8");
  std::vector<Document> some, all;
  for (int i = 0; i < 60; ++i) {
    const std::string number = std::to_string(i % 20);
    Document document{std::to_string(i),
                      {Field::of_text("text", "one two three four " + number + " five six")}};
    if (i % 3 == 1) document.attributes = {{"expires_at", "2001-01-01"}};
    all.push_back(document);
    if (document.attributes.empty()) some.push_back(document);
  }
  Index wanted = Index::in_memory(schema), index = Index::in_memory(schema);
  wanted.index_documents(some);
  index.index_documents(all);
  const SampleFigures expected = wanted.sample(100), found = index.sample(100);
  EXPECT_EQ(found.documents, 40U);
  EXPECT_EQ(found.pairs, expected.pairs);
  EXPECT_EQ(found.scores, expected.scores);
  EXPECT_EQ(found.candidates, expected.candidates);
  EXPECT_EQ(found.similar, expected.similar);
  EXPECT_EQ(found.largest_bucket, expected.largest_bucket);
}

TEST(SampleTest, OfNothing) {
  const SampleFigures figures = Index::in_memory(Schema()).sample(200);
  EXPECT_EQ(figures.documents, 0U);
  EXPECT_TRUE(figures.buckets.empty());
}

}  // namespace
}  // namespace benzer
