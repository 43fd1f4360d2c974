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

// The marks of a long field stop; its score does not.
TEST(CompareDocumentsTest, LongFieldsAreShownUpTo256KiB) {
  constexpr std::size_t kShown = std::size_t{256} << 10;
  const Schema schema =
      Schema::parse("text=text:word1 | tags=values | gear=values+weights | fss:128 | min:0.5");
  std::string text;
  std::vector<std::string> values;
  for (int i = 0; i < 40'000; ++i) {
    values.push_back(std::to_string(1'000'000 + i));  // 8 bytes with the end of its line
    text += values.back() + " ";
  }
  std::vector<std::string> others = values;
  others.back() = "another";
  const std::vector<double> weights(values.size(), 0.5);
  const auto document = [&](const std::vector<std::string>& tags) {
    return Document{"",
                    {Field::of_text("text", text), Field::of_values("tags", tags),
                     Field::of_weighted_values("gear", tags, weights)}};
  };
  const ComparedDocuments compared = compare_documents(schema, document(values), document(others));
  ASSERT_EQ(compared.fields.size(), 3U);
  EXPECT_EQ(compared.fields[1].overlap, (Overlap{39'999, 40'001}));
  for (const std::size_t field : {1U, 2U})
    for (const auto* side : {&compared.fields[field].a, &compared.fields[field].b}) {
      EXPECT_EQ(side->size(), kShown / 8);
      EXPECT_EQ(side->back().text, values[kShown / 8 - 1]);
    }
  EXPECT_EQ(compared.fields[2].a.back().weight, 0.5);
  std::size_t bytes = 0;
  for (const MarkedPiece& piece : compared.fields[0].a) bytes += piece.text.size();
  EXPECT_EQ(bytes, kShown);
}

Document gear(std::vector<std::string> values, std::vector<double> weights) {
  return {"", {Field::of_weighted_values("gear", std::move(values), std::move(weights))}};
}

TEST(CompareDocumentsTest, WeightsDecideTheScoreAndNotTheMarks) {
  const Schema schema = Schema::parse("gear=values+weights | fss:128 | min:0.5");
  const ComparedDocuments compared =
      compare_documents(schema, gear({"tent", "rope", "lamp"}, {2.5, 1, 0.5}),
                        gear({"rope", "tent", "map"}, {0.25, 2.5, 0.25}));
  EXPECT_EQ(shown(compared.fields[0].a), "[tent][rope]{lamp}");
  EXPECT_EQ(shown(compared.fields[0].b), "[rope][tent]{map}");
  EXPECT_EQ(compared.fields[0].a[0].weight, 2.5);
  EXPECT_EQ(compared.fields[0].b[0].weight, 0.25);
  EXPECT_EQ(compared.fields[0].overlap, (Overlap{2'750'000, 4'250'000}));
  EXPECT_DOUBLE_EQ(compared.score, 2.75 / 4.25);
  EXPECT_NEAR(compared.fields[0].estimate, compared.score, 5 * compared.fields[0].standard_error);
}

TEST(CompareDocumentsTest, WrongWeightsAreRefused) {
  const auto problem = [](const char* schema, const Document& document) -> std::string {
    try {
      compare_documents(Schema::parse(schema), document, document);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  const char* const kWeighted = "gear=values+weights | fss:128 | min:0.5";
  EXPECT_EQ(problem(kWeighted, gear({"a", "b"}, {1, 0})),
            "'a': the weight of \"b\" in the field \"gear\" is 0; allowed are numbers from "
            "0.000001 to 99999000");
  EXPECT_NE(problem(kWeighted, gear({"a", "b"}, {1})), "");
  EXPECT_NE(
      problem(kWeighted, gear(std::vector<std::string>(91, "a"), std::vector<double>(91, 99e6))),
      "");
  EXPECT_NE(problem("gear=values | fss:128 | min:0.5", gear({"a"}, {1})), "");
  EXPECT_NE(problem("gear=values+weights | kperm:64 | min:0.5", gear({"a"}, {1})), "");
  EXPECT_EQ(problem(kWeighted, gear({"a", "b"}, {1, 2})), "");
}

// A query of an index finds what a comparison of two documents says, with the same score and
// explanation; in two fields, one of which has no weights.
TEST(CompareDocumentsTest, AnIndexOfWeightsFindsWhatIsSimilar) {
  const Schema schema =
      Schema::parse("tags=values | gear=values+weights;w=2 | fss:128 | bands:128x1 | min:0.4");
  TestRandom random(5);
  std::vector<Document> documents;
  for (int i = 0; i < 60; ++i) {
    const std::uint64_t family = random.below(8);
    std::vector<std::string> values;
    std::vector<double> weights;
    for (std::uint64_t j = 0; j < 6; ++j) {
      values.push_back("v" + std::to_string(random.below(5) == 0
                                                ? 1000 + i
                                                : static_cast<int>(family * 10 + j)));
      weights.push_back(static_cast<double>(1 + random.below(4)) / 2);
    }
    documents.push_back({std::to_string(i),
                         {Field::of_values("tags", {"t" + std::to_string(family % 3)}),
                          Field::of_weighted_values("gear", values, weights)}});
  }
  Index index = Index::in_memory(schema);
  index.index_documents(documents);
  int similar = 0;
  for (const Document& a : documents) {
    const std::vector<Match> found =
        index.find_similar_documents(a, {.limit = 100, .explain = true});
    for (const Document& b : documents) {
      if (a.id == b.id) continue;
      const ComparedDocuments compared = compare_documents(schema, a, b);
      const auto match = std::find_if(found.begin(), found.end(),
                                      [&](const Match& one) { return one.id == b.id; });
      ASSERT_EQ(match != found.end(), compared.similar) << a.id << " " << b.id;
      if (match == found.end()) continue;
      ++similar;
      EXPECT_EQ(match->score, compared.score);
      for (std::size_t field = 0; field < compared.fields.size(); ++field)
        EXPECT_EQ(match->fields[field].overlap, compared.fields[field].overlap);
    }
  }
  EXPECT_GT(similar, 100);
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

TEST(CompareDocumentsTest, RefusesWrongWeightsInOneSentence) {
  const struct {
    std::vector<std::string> values;
    std::vector<double> weights;
    std::string problem;
  } cases[] = {{{"tent", "rope"},
                {1, -1},
                "the weight of \"rope\" in the field \"gear\" is -1; allowed are"},
               {{"tent", "rope"}, {1}, "the field \"gear\" has 2 values and 1 weights"},
               {std::vector<std::string>(91, "tent"), std::vector<double>(91, 99'000'000),
                "the sum of the weights in the field \"gear\" is more than 9000000000"}};
  const Schema schema = Schema::parse("gear=values+weights | fss:128 | min:0.5");
  for (const auto& c : cases) {
    const Document wrong{"", {Field::of_weighted_values("gear", c.values, c.weights)}};
    try {
      compare_documents(schema, wrong, wrong);
      ADD_FAILURE() << c.problem;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(c.problem), std::string::npos) << error.what();
    }
  }
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
