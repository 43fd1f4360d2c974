// Tests how matches are explained.
#include <cmath>

#include <gtest/gtest.h>

#include "benzer/index.h"

namespace benzer {
namespace {

const SimilarOptions kExplain{.explain = true};

std::vector<std::pair<std::string, std::uint64_t>> passages(const FieldMatch& field) {
  std::vector<std::pair<std::string, std::uint64_t>> out;
  for (const SharedPassage& passage : field.explanation.value().passages)
    out.emplace_back(passage.text, passage.features);
  return out;
}

TEST(Explain, ShowsWhatIsShared) {
  Index index = Index::in_memory(
      Schema::parse("text=text:word2 | tags=values | fss:128 | bands:128x1 | min:0.1"));
  index.index_documents({{"a",
                          {Field::of_text("text", "one two three four. NINE ten! twenty"),
                           Field::of_values("tags", {"x", "y", "z"})}}});
  const Document query{"q",
                       {Field::of_text("text", "Nine, Ten -- once: One, two, THREE four; one two"),
                        Field::of_values("tags", {"z", "w", "x"})}};
  const auto matches = index.find_similar_documents(query, kExplain);
  ASSERT_EQ(matches.size(), 1U);
  const FieldMatch& text = matches[0].fields[0];
  // The texts have 6 and 7 different pairs of words. Four are shared: one two, two three, three
  // four, nine ten. The second "one two" is not counted again.
  EXPECT_EQ(text.overlap, (Overlap{4, 6 + 7 - 4}));
  EXPECT_EQ(passages(text), (std::vector<std::pair<std::string, std::uint64_t>>{
                                {"One, two, THREE four", 3}, {"Nine, Ten", 1}}));
  EXPECT_EQ(text.explanation->more, 0U);
  EXPECT_EQ(passages(matches[0].fields[1]),
            (std::vector<std::pair<std::string, std::uint64_t>>{{"z", 1}, {"x", 1}}));

  // Everything else is as it is without explanations.
  auto plain = matches;
  plain[0].found_probability.reset();
  for (FieldMatch& field : plain[0].fields) field.explanation.reset();
  EXPECT_EQ(index.find_similar_documents(query), plain);
  EXPECT_EQ(index.find_similar_documents(std::vector{query, query}, kExplain, 2),
            (std::vector{matches, matches}));
  EXPECT_EQ(index.check_and_add(query, kExplain).matches, matches);
}

std::vector<std::string> numbers(int count) {
  std::vector<std::string> out;
  for (int i = 0; i < count; ++i) out.push_back(std::to_string(i));
  return out;
}

TEST(Explain, TellsTheBandsThatMet) {
  Index index = Index::in_memory(Schema::parse("v=values | fss:64 | bands:16x4 | min:0.5"));
  std::vector<std::string> values = numbers(60);
  index.index_documents({{"a", {Field::of_values("v", values)}}});
  values.resize(50);
  index.index_documents({{"b", {Field::of_values("v", values)}}});
  const auto matches = index.find_similar_to("a", kExplain);
  ASSERT_EQ(matches.size(), 1U);
  const FieldExplanation& why = matches[0].fields[0].explanation.value();
  std::vector<std::uint32_t> equal;
  const auto a = index.get("a"), b = index.get("b");
  for (std::uint32_t band = 0; band < 16; ++band)
    if (a->fields[0].keys[band] == b->fields[0].keys[band]) equal.push_back(band);
  EXPECT_EQ(why.bands, equal);
  EXPECT_GT(equal.size(), 0U);
  EXPECT_LT(equal.size(), 16U);
  // A query by id has no text.
  EXPECT_TRUE(why.passages.empty());
  EXPECT_EQ(why.more, 50U);
  // 1 - (1 - J^4)^16 at J = 5/6; the look at signatures loses nearly nothing of it.
  EXPECT_NEAR(matches[0].found_probability.value(), 1 - std::pow(1 - std::pow(5. / 6, 4), 16),
              1e-4);
}

TEST(Explain, AtTheThresholdFoundIsWhatIsExpected) {
  Index index = Index::in_memory(Schema::parse("v=values"));
  std::vector<std::string> values = numbers(100);
  index.index_documents({{"a", {Field::of_values("v", values)}}});
  values.resize(80);
  const auto matches =
      index.find_similar_documents({"", {Field::of_values("v", values)}}, kExplain);
  ASSERT_EQ(matches.size(), 1U);
  EXPECT_NEAR(matches[0].found_probability.value(), index.expected_recall(Threshold::parse("0.8")),
              1e-5);
  EXPECT_EQ(matches[0].fields[0].explanation->passages.size(), 10U);
  EXPECT_EQ(matches[0].fields[0].explanation->more, 70U);
}

TEST(Explain, AFieldThatOneLacks) {
  Index index = Index::in_memory(
      Schema::parse("title=text:word1 | tags=values | fss:128 | bands:128x1 | min:0.4"));
  index.index_documents({{"a", {Field::of_text("title", "one two")}}});
  const auto matches = index.find_similar_documents(
      {"", {Field::of_text("title", "one two"), Field::of_values("tags", {"x", "y"})}}, kExplain);
  ASSERT_EQ(matches.size(), 1U);
  ASSERT_EQ(matches[0].fields.size(), 2U);
  EXPECT_EQ(matches[0].fields[1].overlap, (Overlap{0, 2}));
  EXPECT_EQ(matches[0].fields[1].explanation.value(), FieldExplanation());
  EXPECT_EQ(matches[0].found_probability.value(), 1);
}

TEST(Explain, CutsLongPassagesAndLongTexts) {
  Index index = Index::in_memory(Schema::parse("text=text:word5"));
  std::string text;
  for (int i = 0; i < 60'000; ++i) text += "wörter" + std::to_string(i) + " ";
  index.index_documents({{"a", {Field::of_text("text", text)}}});
  const auto matches = index.find_similar_documents({"", {Field::of_text("text", text)}}, kExplain);
  ASSERT_EQ(matches.size(), 1U);
  const FieldMatch& field = matches[0].fields[0];
  EXPECT_EQ(field.overlap, (Overlap{59'996, 59'996}));
  ASSERT_EQ(field.explanation->passages.size(), 1U);
  const SharedPassage& passage = field.explanation->passages[0];
  EXPECT_TRUE(passage.is_cut);
  EXPECT_EQ(passage.text, text.substr(0, passage.text.size()));
  EXPECT_NEAR(static_cast<double>(passage.text.size()), 300, 2);
  EXPECT_GT(passage.features, 10'000U);
  EXPECT_GT(field.explanation->more, 10'000U);
  EXPECT_EQ(passage.features + field.explanation->more, 59'996U);

  // The overlap is exact even if the score is estimated.
  const auto estimated = index.find_similar_documents({"", {Field::of_text("text", text)}},
                                                      {.exact = false, .explain = true});
  EXPECT_EQ(estimated[0].fields[0].overlap, (Overlap{59'996, 59'996}));
}

}  // namespace
}  // namespace benzer
