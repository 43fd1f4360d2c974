#include "benzer/compare.h"

#include <gtest/gtest.h>

#include "benzer/error.h"
#include "benzer/index.h"

#include "engine/index_test_util.h"

namespace benzer {
namespace {

std::string shown(const std::vector<MarkedPiece>& pieces) {
  std::string out;
  for (const MarkedPiece& piece : pieces)
    out += piece.mark == Mark::kShared ? "[" + piece.text + "]"
           : piece.mark == Mark::kOwn  ? "{" + piece.text + "}"
                                       : piece.text;
  return out;
}

Document texts(std::string title, std::string body) {
  return {"", {Field::of_text("title", std::move(title)), Field::of_text("body", std::move(body))}};
}

TEST(CompareDocumentsTest, MarksWhatIsSharedAndCountsIt) {
  const Schema schema = Schema::parse("text=text:word2 | fss:128 | min:0.5");
  const ComparedDocuments compared =
      compare_documents(schema, {"", {Field::of_text("text", "the quick brown fox")}},
                        {"", {Field::of_text("text", "a quick brown fox, indeed")}});
  ASSERT_EQ(compared.fields.size(), 1U);
  const ComparedField& field = compared.fields[0];
  EXPECT_EQ(field.overlap, (Overlap{2, 5}));
  EXPECT_DOUBLE_EQ(compared.score, 0.4);
  EXPECT_FALSE(compared.similar);
  EXPECT_EQ(shown(field.a), "{the} [quick brown fox]");
  EXPECT_EQ(shown(field.b), "{a} [quick brown fox], {indeed}");
  EXPECT_NEAR(field.estimate, 0.4, 4 * field.standard_error);
  EXPECT_TRUE(compare_documents(schema, {"", {Field::of_text("text", "a b")}},
                                {"", {Field::of_text("text", "A B!")}})
                  .similar);
}

TEST(CompareDocumentsTest, SaysWhatAnIndexSays) {
  const Schema schema = Schema::parse(kFields);
  TestRandom random(7);
  int met = 0;
  for (int i = 0; i < 200; ++i) {
    const Document a = some_document("a", random, false);
    const Document b = some_document("b", random, false);
    const ComparedDocuments compared = compare_documents(schema, a, b);
    Index index = Index::in_memory(schema);
    index.index_documents({b});
    const std::vector<Match> found = index.find_similar_documents(a, {.explain = true});
    // These bands miss next to nothing.
    ASSERT_EQ(!found.empty(), compared.similar) << i;
    if (found.empty()) continue;
    ++met;
    EXPECT_EQ(found[0].score, compared.score);
    EXPECT_EQ(found[0].found_probability, compared.found_probability);
    ASSERT_EQ(found[0].fields.size(), compared.fields.size());
    for (std::size_t field = 0; field < compared.fields.size(); ++field) {
      EXPECT_EQ(found[0].fields[field].field, compared.fields[field].field);
      EXPECT_EQ(found[0].fields[field].overlap, compared.fields[field].overlap);
      EXPECT_EQ(found[0].fields[field].explanation->bands, compared.fields[field].equal_bands);
    }
  }
  EXPECT_GT(met, 20);
}

TEST(CompareDocumentsTest, ValuesAreMarkedOneByOne) {
  const Schema schema = Schema::parse("tags=values | fss:128 | min:0.5");
  const ComparedDocuments compared =
      compare_documents(schema, {"", {Field::of_values("tags", {"a b", "c"})}},
                        {"", {Field::of_values("tags", {"c", "d"})}});
  EXPECT_EQ(shown(compared.fields[0].a), "{a b}[c]");
  EXPECT_EQ(shown(compared.fields[0].b), "[c]{d}");
}

TEST(CompareDocumentsTest, WhatOneLacksCountsZero) {
  const Schema schema = Schema::parse("title=text:word1 | body=text:word1 | fss:128 | min:0.5");
  const ComparedDocuments compared = compare_documents(schema, texts("x y", "z"), texts("x y", ""));
  ASSERT_EQ(compared.fields.size(), 2U);
  EXPECT_DOUBLE_EQ(compared.score, 0.5);
  EXPECT_TRUE(compared.similar);
  EXPECT_EQ(compared.fields[1].overlap, (Overlap{0, 1}));
  EXPECT_EQ(shown(compared.fields[1].a), "{z}");
  EXPECT_TRUE(compare_documents(schema, texts("", ""), texts("", "")).fields.empty());
  EXPECT_FALSE(compare_documents(schema, texts("", ""), texts("", "")).similar);
}

TEST(CompareDocumentsTest, NamesTheSideThatIsWrong) {
  const Schema schema;
  try {
    compare_documents(schema, {"", {Field::of_text("text", "x")}},
                      {"", {Field::of_text("other", "x")}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    EXPECT_NE(std::string(error.what()).find("'b'"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace benzer
