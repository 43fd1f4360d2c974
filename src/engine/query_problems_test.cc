// Tests that a call about several documents goes on without those that are refused, or names the
// first one by its place.
#include "engine/query_problems.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benzer/compare.h"
#include "benzer/index.h"

#include "base/error_test_util.h"

namespace benzer {
namespace {

using ToldProblems = std::vector<std::pair<std::size_t, std::string>>;

SimilarCounts counts_of_queries(const Index& index, const std::vector<Document>& queries,
                                SimilarOptions options) {
  SimilarCounts out;
  options.counts = &out;
  index.find_similar_documents(queries, options, 2);
  return out;
}

TEST(QueryProblems, OthersAreAnsweredAsWithoutTheRefusedOnes) {
  Index index = Index::in_memory(Schema::parse("text=text:word1 | photo=image:pdq | min:0.5"));
  std::vector<Document> good;
  for (int i = 0; i < 200; ++i)
    good.push_back({"d" + std::to_string(i),
                    {Field::of_text("text", "one two three w" + std::to_string(i % 7) + " w" +
                                                std::to_string(i % 3))}});
  index.index_documents(good);
  std::vector<Document> asked = good;
  asked[3] = {"x", {Field::of_text("titel", "one")}};
  asked[130] = {"y", {Field::of_text("text", "one two"), Field::of_image("photo", "no picture")}};
  asked[199] = {"z", {Field::of_values("text", {"one"})}};
  for (const bool has_floor : {false, true}) {
    SimilarOptions options;
    options.explain = true;
    if (has_floor) options.floor = Threshold::parse("0.1");
    const auto all = index.find_similar_documents(good, options, 2);
    ToldProblems told;
    std::vector<ErrorCode> codes;
    options.problem = [&](std::size_t document, const Error& problem) {
      told.emplace_back(document, problem.what());
      codes.push_back(problem.code());
    };
    const auto found = index.find_similar_documents(asked, options, 2);
    ASSERT_EQ(found.size(), asked.size());
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const bool is_refused = i == 3 || i == 130 || i == 199;
      EXPECT_EQ(found[i], is_refused ? std::vector<Match>() : all[i]) << i;
    }
    EXPECT_THAT(
        told,
        testing::ElementsAre(
            testing::Pair(3, testing::HasSubstr("a field \"titel\" that the schema does not have")),
            testing::Pair(130,
                          "\"y\": the field \"photo\" holds no image: it is not a JPEG, PNG, "
                          "WebP, GIF or PNM image"),
            testing::Pair(199, "the field \"text\" is a text, and the document has values there")));
    EXPECT_THAT(codes, testing::ElementsAre(ErrorCode::kInvalidArgument, ErrorCode::kBadInput,
                                            ErrorCode::kInvalidArgument));
    EXPECT_EQ(counts_of_queries(index, asked, options).queries, 197U);
  }
  EXPECT_THAT(
      error_sentence(ErrorCode::kInvalidArgument, [&] { index.find_similar_documents(asked); }),
      testing::StartsWith("document 3: the document has a field \"titel\""));
  asked[3] = asked[199] = good[0];
  EXPECT_THAT(error_sentence(ErrorCode::kBadInput, [&] { index.find_similar_documents(asked); }),
              testing::StartsWith("document 130: \"y\": the field \"photo\" holds no image"));
}

TEST(QueryProblems, AttributesOfQueriesAreNotLookedAt) {
  Index index = Index::in_memory(Schema::parse("tags=values | n=number | min:0.5"));
  index.index_documents({{"a", {Field::of_values("tags", {"x", "y"})}}});
  const Document query = {
      "q", {Field::of_values("tags", {"x", "y"})}, {{"n", "many"}, {"unknown", "1"}}};
  EXPECT_EQ(index.find_similar_documents(query).size(), 1U);
  const auto found = index.find_similar_documents(std::vector{query, query});
  EXPECT_EQ(found[0].size(), 1U);
  EXPECT_EQ(found[1], found[0]);
  EXPECT_EQ(compare_documents(index.schema(), query, query).score, 1);
  EXPECT_THROW(index.check_and_add(query), Error);
}

TEST(QueryProblems, PassagesAreListedOfTheOthers) {
  Index index = Index::in_memory(Schema::parse("text=text:word1 | min:0.5 | measure:containment"));
  const Document good = {"", {Field::of_text("text", "one two three four")}};
  index.index_documents({{"a", good.fields}});
  std::string long_text;
  for (std::uint64_t i = 0; i <= FeatureExtractor::kMostTraced; ++i) long_text += "a ";
  const std::vector<Document> asked = {good,
                                       {"x", {Field::of_text("titel", "one")}},
                                       {"y", {Field::of_text("text", long_text)}},
                                       good};
  ToldProblems told;
  SharedPassagesOptions options{.min_words = 2};
  options.problem = [&](std::size_t document, const Error& problem) {
    EXPECT_EQ(problem.code(), ErrorCode::kInvalidArgument);
    told.emplace_back(document, problem.what());
  };
  const auto found = index.find_shared_passages(asked, options, 2);
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0].size(), 1U);
  EXPECT_EQ(found[3], found[0]);
  EXPECT_TRUE(found[1].empty());
  EXPECT_TRUE(found[2].empty());
  EXPECT_THAT(told, testing::ElementsAre(
                        testing::Pair(1, testing::HasSubstr("a field \"titel\"")),
                        testing::Pair(2, testing::StartsWith("a text has more than 4194304"))));
  options.problem = {};
  EXPECT_THAT(error_sentence(ErrorCode::kInvalidArgument,
                             [&] { index.find_shared_passages({good, asked[2]}, options, 1); }),
              testing::StartsWith("document 1: a text has more than"));
}

}  // namespace
}  // namespace benzer
