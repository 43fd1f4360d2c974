#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "benzer/audit.h"
#include "benzer/error.h"

namespace benzer {
namespace {

// An excerpt of a report: bytes 2 to 4 of 9.
std::string excerpt(const std::string& pieces) {
  return R"({"begin":2,"end":4,"size":9,"marked":false,"pieces":[)" + pieces + "]}";
}

TEST(Review, CountsWhatWasJudged) {
  const std::vector<Judgement> judgements = {{0.81, true, true, true},
                                             {0.82, true, false},
                                             {0.79, true, false},
                                             {0.95, false, true, true}};
  const ReviewResult result = evaluate(judgements, Threshold::parse("0.8"));
  EXPECT_EQ(result.above.judged, 2u);
  EXPECT_EQ(result.above.same, 1u);
  EXPECT_EQ(result.below.judged, 1u);
  EXPECT_EQ(result.below.same, 0u);
  EXPECT_EQ(result.removals.judged, 2u);  // one of them is also next to the threshold
  EXPECT_EQ(result.removals.same, 2u);
  EXPECT_DOUBLE_EQ(result.above.share.value, 0.5);
  EXPECT_LT(result.above.share.low, 0.1);  // Wilson: 0.0945 to 0.9055
  EXPECT_GT(result.above.share.high, 0.9);
  EXPECT_EQ(result.contradictions, 1u);
}

TEST(Review, SuggestsTheNearestThresholdThatContradictsLeast) {
  struct Case {
    std::vector<Judgement> judgements;
    const char* suggested;  // null: none
    std::uint64_t contradictions;
  };
  for (const Case& c : std::vector<Case>{
           {{}, nullptr, 0},
           {{{0.85, true, true}, {0.7, true, false}}, nullptr, 0},
           // Copies below the threshold: lower it, to the highest short decimal that includes them.
           {{{0.85, true, true}, {0.78, true, true}, {0.72, true, false}}, "0.78", 0},
           {{{0.85, true, true}, {0.74, true, true}, {0.62, true, false}}, "0.74", 0},
           {{{0.85, true, true}, {0.7, true, true}, {0.62, true, false}}, "0.7", 0},
           {{{0.85, true, true}, {0.7994, true, true}, {0.7991, true, false}}, "0.7994", 0},
           // Nothing is known of pairs beyond those that were judged.
           {{{0.799, true, true}}, "0.79", 0},
           {{{0.199, true, true}}, "0.19", 0},
           {{{0.7, true, true}, {0.66, true, true}}, "0.66", 0},
           {{{0.005, true, true}}, "0.005", 0},
           // Unrelated documents above it: raise it.
           {{{0.9, true, true}, {0.81, true, false}, {0.7, true, false}}, "0.82", 0},
           {{{0.9, true, true}, {0.813, true, false}}, "0.82", 0},
           {{{0.86, true, true}, {0.81, true, false}}, "0.82", 0},
           {{{0.81, true, false}, {0.7, true, false}}, "0.82", 0},
           {{{0.8113, true, false}, {0.8117, true, true}}, "0.8114", 0},
           {{{0.996, true, false}}, "1", 0},
           // No threshold agrees with all judgements.
           {{{0.9, true, false}, {0.85, true, true}, {0.75, true, true}}, "0.75", 1},
       }) {
    const ReviewResult result = evaluate(c.judgements, Threshold::parse("0.8"));
    ASSERT_EQ(result.suggested.has_value(), c.suggested != nullptr);
    if (!c.suggested) continue;
    EXPECT_EQ(result.suggested->str(), c.suggested);
    EXPECT_EQ(result.contradictions_of_suggested, c.contradictions);
    EXPECT_LT(result.contradictions_of_suggested, result.contradictions);
  }
}

TEST(Review, RemovalsByAChainSayNothingAboutTheThreshold) {
  std::vector<Judgement> judgements = {{0.85, true, true}, {0.75, true, false}};
  for (const double score : {0.0, 0.1, 0.3, 0.6}) judgements.push_back({score, false, false, true});
  judgements.push_back({0.7, false, true, true});  // a true copy, at the end of a chain
  const ReviewResult result = evaluate(judgements, Threshold::parse("0.8"));
  EXPECT_EQ(result.removals.judged, 5u);
  EXPECT_EQ(result.removals.same, 1u);
  EXPECT_EQ(result.chained.judged, 5u);
  EXPECT_EQ(result.chained.same, 1u);
  EXPECT_EQ(result.contradictions, 0u);
  EXPECT_FALSE(result.suggested);

  // A removal next to the threshold counts as one of those pairs, too.
  judgements.push_back({0.79, true, true, true});
  const ReviewResult near = evaluate(judgements, Threshold::parse("0.8"));
  EXPECT_EQ(near.chained.judged, 6u);
  EXPECT_EQ(near.below.judged, 2u);
  EXPECT_EQ(near.contradictions, 1u);
  ASSERT_TRUE(near.suggested);
  EXPECT_EQ(near.suggested->str(), "0.79");
  EXPECT_EQ(near.contradictions_of_suggested, 0u);
}

TEST(Review, RefusesWhatIsNoReport) {
  for (const char* text : {"", "{", "[]", "{}", "{\"settings\":{\"threshold\":\"0.8\"}}",
                           "{\"settings\":{\"threshold\":0.8}}"})
    EXPECT_THROW(read_review(text), Error) << text;
}

// The search for a threshold between such scores would not end.
TEST(Review, RefusesScoresThatAreNone) {
  for (const char* score : {"1e17", "-0.1", "1.001"}) {
    const std::string pair =
        std::string(R"({"a":{"id":"x","source":"s","line":1},"b":{"id":"y",)") +
        R"("source":"s","line":2},"score":)" + score + R"(,"text_a":)" + excerpt("") +
        R"(,"text_b":)" + excerpt("") + "}";
    EXPECT_THROW(read_review(R"({"settings":{"threshold":"0.7"},"above":[)" + pair +
                             R"(],"below":[],"clusters":[]})"),
                 Error)
        << score;
    EXPECT_THROW(
        read_answers(std::string(R"({"a":"x","b":"y","score":)") + score + R"(,"same":true})"),
        Error)
        << score;
  }
  for (const double score : {1e17, -0.1, std::nan("")}) {
    const Judgement judged{.score = score, .near = true};
    EXPECT_THROW(evaluate({&judged, 1}, Threshold::parse("0.7")), Error) << score;
  }
}

TEST(Review, IdsKeepTheirDigits) {
  for (const std::string id : {"7", "-0", "1.50", "1e3", "1e999", "123456789012345678901234567890",
                               "18446744073709551615", "\"x\\\"y\""}) {
    const std::string pair = R"({"a":{"id":)" + id + R"(,"source":"s","line":1},"b":{"id": )" + id +
                             R"( ,"source":"s","line":2},"score":0.75,)"
                             R"("text_a":)" +
                             excerpt("") + R"(,"text_b":)" + excerpt("") + "}";
    for (const bool near : {true, false}) {
      const std::string above =
          near ? "{\"a\":{\"id\":2.5,\"source\":\"\",\"line\":0},\"b\":{\"id\":"
                 "3.50,\"source\":\"\",\"line\":0},\"score\":0.8,\"text_a\":" +
                     excerpt("") + ",\"text_b\":" + excerpt("") + "}," + pair
               : "";
      const Review review = read_review(
          R"({"settings":{"threshold":"0.7"},"above":[)" + above + R"(],"below":[],"sample":[)" +
          (near ? "" : pair) + R"(],"clusters":[{"members":[)" + (near ? "" : pair) + "]}]}");
      ASSERT_EQ(review.pairs.size(), near ? 2u : 1u);
      ASSERT_EQ(review.removals.size(), near ? 0u : 1u);
      ASSERT_EQ(review.sample->size(), near ? 0u : 1u);
      const ReviewPair& read = review.pairs[0];
      EXPECT_EQ(read.a.id_json, id);
      EXPECT_EQ(read.b.id_json, id);
      EXPECT_EQ(read.score, 0.75);
    }
  }
}

TEST(Review, ReadsTheFieldsOfAnIndex) {
  const auto field = [](const std::string& name, const std::string& a, const std::string& b) {
    const auto text = [](const std::string& piece) {
      return excerpt(R"({"mark":"own","text":")" + piece + R"("})");
    };
    return R"({"field":")" + name + R"(","text_a":)" + text(a) + R"(,"text_b":)" + text(b) + "}";
  };
  const auto pair = [](const std::string& id, const std::string& fields) {
    return R"({"a":{"id":"x","source":"","line":0},"b":{"id":")" + id +
           R"(","source":"","line":0},"score":0.75,"fields":[)" + fields + "]}";
  };
  const auto report = [&](const std::string& above, const std::string& member) {
    return R"({"settings":{"threshold":"0.7"},"above":[)" + above + R"(],"below":[],"sample":[)" +
           member + R"(],"clusters":[{"members":[)" + member + "]}]}";
  };
  const auto shown = [](const ReviewText& text) {
    std::string out;
    for (const ReviewText::Field& one : text.fields)
      for (const ReviewText::Piece& piece : one.pieces)
        out += one.name + ": " + (piece.own ? "[" + piece.text + "]" : piece.text) + "\n";
    return out;
  };
  const Review review = read_review(
      report(pair("gone", "") + "," + pair("one", field("text", "p", "q")),
             pair("gone", "") + "," +
                 pair("two", field("title", "r", "s") + "," + field("text", "t", "u"))));
  ASSERT_EQ(review.pairs.size(), 2u);
  EXPECT_EQ(review.pairs[0].b.id_json, "\"one\"");
  EXPECT_EQ(shown(review.pairs[0].a), "text: [p]\n");
  EXPECT_EQ(review.pairs[1].b.id_json, "\"two\"");
  EXPECT_EQ(shown(review.pairs[1].b), "title: [s]\ntext: [u]\n");

  EXPECT_EQ(read_review(report("", "")).pairs.size(), 0u);
  try {
    read_review(report(pair("gone", ""), pair("gone", "")));
    ADD_FAILURE() << "it was taken";
  } catch (const Error& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("this report has no texts to judge"))
        << error.what();
  }
}

TEST(Review, TakesThePairsNextToTheThresholdFirst) {
  const auto pair = [](const char* id, const char* score) {
    return std::string(R"({"a":{"id":"x","source":"s","line":1},"b":{"id":")") + id +
           R"(","source":"s","line":2},"score":)" + score + R"(,"text_a":)" +
           excerpt(R"({"mark":"shared","text":"p"},{"mark":"own","text":"q"})") + R"(,"text_b":)" +
           excerpt("") + "}";
  };
  const Review review =
      read_review(R"({"settings":{"threshold":"0.7"},"above":[)" + pair("far", "0.78") + "," +
                  pair("near", "0.71") + R"(],"below":[)" + pair("under", "0.66") +
                  R"(],"sample":[)" + pair("yes", "1.0") + "," + pair("far", "0.78") +
                  R"(],"clusters":[{"members":[)" + pair("no", "0.9") + R"(]},{"members":[)" +
                  pair("near", "0.71") + "," + pair("yes", "1.0") + "]}]}");
  ASSERT_EQ(review.pairs.size(), 4u);
  EXPECT_EQ(review.threshold.str(), "0.7");
  EXPECT_EQ(review.pairs[0].b.id_json, "\"near\"");
  EXPECT_EQ(review.pairs[1].b.id_json, "\"under\"");
  EXPECT_EQ(review.pairs[2].b.id_json, "\"far\"");
  EXPECT_EQ(review.pairs[3].b.id_json, "\"yes\"");
  EXPECT_FALSE(review.pairs[3].near);
  EXPECT_TRUE(review.pairs[2].near);
  EXPECT_EQ(review.sample, (std::vector<std::size_t>{3, 2}));
  ASSERT_EQ(review.pairs[0].a.fields.size(), 1u);
  const ReviewText::Field& field = review.pairs[0].a.fields[0];
  ASSERT_EQ(field.pieces.size(), 2u);
  EXPECT_TRUE(field.pieces[1].own);
  EXPECT_EQ(field.begin, 2u);
  EXPECT_EQ(field.end, 4u);
  EXPECT_EQ(field.size, 9u);
  EXPECT_FALSE(field.marked);
}

TEST(Review, ReportsOfEarlierVersionsHaveNoSample) {
  const Review review = read_review(
      R"({"settings":{"threshold":"0.7"},"above":[],"below":[],"any":[],"clusters":[]})");
  EXPECT_FALSE(review.sample);
  EXPECT_TRUE(review.pairs.empty());
}

}  // namespace
}  // namespace benzer
