#include "json_body.h"

#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace benzer::server {
namespace {

using Texts = std::vector<std::string>;

JsonBody body_of(std::string_view json) {
  Request request;
  request.content_type = "application/json";
  request.body = json;
  return JsonBody(request);
}

// Returns what `work` throws, as "422 wrong_value /a/b: the sentence"; empty if it does not throw.
std::string problem_with(const std::function<void()>& work) {
  try {
    work();
  } catch (const Problem& problem) {
    return std::to_string(problem.status()) + " " + problem.code() + " " + problem.place() + ": " +
           problem.sentence();
  }
  return {};
}

TEST(JsonBody, IsAnObjectInJson) {
  struct BodyRow {
    std::string_view content_type, body, problem;
  };
  const std::string deep = "{\"a\":" + std::string(1100, '[') + std::string(1100, ']') + "}";
  const std::vector<BodyRow> rows = {
      {"application/json", "{}", ""},
      {"application/json", " {\"a\": 1}\n", ""},
      {"", "", ""},  // an empty body is an empty object, whatever its content type
      {"text/plain", "", ""},
      {"text/plain", "{}", "415 wrong_content_type"},
      {"", "{}", "415 wrong_content_type"},
      {"application/json", "[]", "400 bad_json : the body is JSON, but not an object"},
      {"application/json", "1", "400 bad_json"},
      {"application/json", " ", "400 bad_json"},
      {"application/json", "{\"a\":1", "400 bad_json"},
      {"application/json", "{\"a\":1}}", "400 bad_json"},
      {"application/json", "{} {}", "400 bad_json"},
      {"application/json", "{\"a\":01}", "400 bad_json"},
      {"application/json", "{\"a\":\"\xFF\"}", "400 bad_json"},
      {"application/json", deep, "400 bad_json"},
      {"application/json", "{\"a\":1,\"a\":2}", "422 wrong_value /a: 'a' is given twice"},
      {"application/json", "{\"a\":1,\"\\u0061\":2}", "422 wrong_value /a: 'a' is given twice"},
  };
  for (const BodyRow& row : rows) {
    Request request;
    request.content_type = row.content_type;
    request.body = row.body;
    const std::string problem = problem_with([&] { JsonBody body(request); });
    EXPECT_EQ(problem.empty(), row.problem.empty()) << row.body << ": " << problem;
    EXPECT_TRUE(problem.starts_with(row.problem)) << row.body << ": " << problem;
  }
}

TEST(JsonBody, MembersAreReadByTheirTypes) {
  JsonBody body = body_of(R"({"text":"a\u00e4","flag":false,"number":7,"real":0.25,"whole":2,
      "texts":["a","b"],"none":[],"raw": {"x": [1, 2]},"rawlist":[ {"a": 1}, "b c", 3 ]})");
  EXPECT_EQ(body.text("text"), "a\xC3\xA4");
  EXPECT_EQ(body.flag("flag"), false);
  EXPECT_EQ(body.number("number", 7, 7), 7u);
  EXPECT_EQ(body.real("real", 0, 1), 0.25);
  EXPECT_EQ(body.real("whole", 0, 2), 2.0);
  EXPECT_EQ(body.texts("texts", 2), (Texts{"a", "b"}));
  EXPECT_EQ(body.texts("none", 0), Texts());
  EXPECT_EQ(body.raw("raw"), "{\"x\":[1,2]}");
  EXPECT_EQ(body.raw_list("rawlist", 3), (Texts{"{\"a\":1}", "\"b c\"", "3"}));
  body.finish();
}

TEST(JsonBody, WhatIsNotThereIsNothing) {
  for (const std::string_view json : {"", "{}"}) {
    JsonBody body = body_of(json);
    EXPECT_EQ(body.text("a"), std::nullopt);
    EXPECT_EQ(body.id("a"), std::nullopt);
    EXPECT_EQ(body.id_or_null("a"), std::nullopt);
    EXPECT_EQ(body.flag("a"), std::nullopt);
    EXPECT_EQ(body.number("a", 1, 2), std::nullopt);
    EXPECT_EQ(body.real("a", 1, 2), std::nullopt);
    EXPECT_FALSE(body.threshold("a"));
    EXPECT_EQ(body.raw("a"), std::nullopt);
    EXPECT_EQ(body.texts("a", 1), std::nullopt);
    EXPECT_EQ(body.ids("a", 1), std::nullopt);
    EXPECT_FALSE(body.object("a"));
    body.finish();
  }
}

struct WrongRow {
  std::string_view value;
  std::function<void(JsonBody&)> read;
  std::string_view sentence;
};

TEST(JsonBody, SaysWhatIsWrongWithAMember) {
  const auto text = [](JsonBody& body) { body.text("m"); };
  const auto id = [](JsonBody& body) { body.id("m"); };
  const auto flag = [](JsonBody& body) { body.flag("m"); };
  const auto number = [](JsonBody& body) { body.number("m", 2, 5); };
  const auto real = [](JsonBody& body) { body.real("m", -1, 1.5); };
  const auto texts = [](JsonBody& body) { body.texts("m", 2); };
  const auto ids = [](JsonBody& body) { body.ids("m", 2); };
  const auto raw_list = [](JsonBody& body) { body.raw_list("m", 2); };
  const auto object = [](JsonBody& body) { body.object("m"); };
  const std::vector<WrongRow> rows = {
      {"null", text, "'m' is null: leave it out"},
      {"null", id, "'m' is null: leave it out"},
      {"1", text, "'m' is not a string"},
      {"[1]", id, "'m' is neither a string nor a number"},
      {"true", id, "'m' is neither a string nor a number"},
      {"\"a \\ud800\"", id, "'m' has a surrogate without its partner"},
      {"\"true\"", flag, "'m' is neither true nor false"},
      {"1", number, "'m' is not a whole number from 2 to 5"},
      {"6", number, "'m' is not a whole number from 2 to 5"},
      {"-2", number, "'m' is not a whole number from 2 to 5"},
      {"2.0", number, "'m' is not a whole number from 2 to 5"},
      {"\"3\"", number, "'m' is not a whole number from 2 to 5"},
      {"1.6", real, "'m' is not a number from -1 to 1.5"},
      {"-1.1", real, "'m' is not a number from -1 to 1.5"},
      {"\"1\"", real, "'m' is not a number from -1 to 1.5"},
      {"\"a\"", texts, "'m' is not a list"},
      {"[\"a\",1]", texts, "'m' has a member that is not a string"},
      {"[\"a\",\"b\",\"c\"]", texts, "'m' has more than 2 members"},
      {"[1,true]", ids, "'m' has a member that is neither a string nor a number"},
      {"[1,[2]]", ids, "'m' has a member that is neither a string nor a number"},
      {"[\"a\",\"\\udc00\"]", ids, "'m' has a member with a surrogate without its partner"},
      {"[1,true,2]", ids, "'m' has more than 2 members"},
      {"[1,2,3]", ids, "'m' has more than 2 members"},
      {"[1,2,3]", raw_list, "'m' has more than 2 members"},
      {"{}", raw_list, "'m' is not a list"},
      {"[]", object, "'m' is not an object"},
  };
  for (const WrongRow& row : rows) {
    SCOPED_TRACE(row.value);
    JsonBody body = body_of("{\"m\":" + std::string(row.value) + "}");
    EXPECT_EQ(problem_with([&] { row.read(body); }),
              "422 wrong_value /m: " + std::string(row.sentence));
  }
}

TEST(JsonBody, IdsAreStringsOrNumbersOfAnySize) {
  const std::vector<std::pair<std::string_view, std::string_view>> rows = {
      {"\"a b\"", "a b"},
      {"\"\"", ""},
      {"7", "7"},
      {"-7", "-7"},
      {"-0", "-0"},
      {"1.50", "1.50"},
      {"1E3", "1E3"},
      {"18446744073709551616", "18446744073709551616"},
      {"123456789012345678901234567890", "123456789012345678901234567890"},
  };
  for (const auto& [json, wanted] : rows) {
    SCOPED_TRACE(json);
    EXPECT_EQ(body_of("{\"id\": " + std::string(json) + " }").id("id"), wanted);
    EXPECT_EQ(body_of("{\"id\": " + std::string(json) + " }").id_or_null("id"), wanted);
    EXPECT_EQ(body_of("{\"ids\":[1, " + std::string(json) + "]}").ids("ids", 2),
              (Texts{"1", std::string(wanted)}));
  }
  JsonBody null = body_of("{\"id\":null}");
  EXPECT_EQ(null.id_or_null("id"), std::nullopt);
  null.finish();
}

// What other parsers of documents take, and what they say about it, is theirs to say.
TEST(JsonBody, DocumentsMayHaveBrokenTextAndManyLevels) {
  const std::string deep = std::string(1000, '[') + std::string(1000, ']');
  for (const std::string& document :
       {std::string(R"({"text":"a \ud800 b","\udfff":1,"n":1e999})"), "{\"text\":" + deep + "}"}) {
    JsonBody body = body_of(R"({"\ud800":[1,2],"a":{"b":)" + document + R"(,"id":"x"},"id":7})");
    EXPECT_EQ(body.id("id"), "7");
    auto inner = body.object("a");
    ASSERT_TRUE(inner);
    EXPECT_EQ(inner->raw("b"), document);
    EXPECT_EQ(inner->id("id"), "x");
    EXPECT_THAT(problem_with([&] { body.finish(); }), testing::StartsWith("422 unknown_member"));
  }
  EXPECT_THAT(problem_with([] { body_of(R"({"a":"\ud800","a":"\ud800"})"); }),
              testing::HasSubstr("twice"));
  EXPECT_THAT(problem_with([] { body_of("{\"a\":\"\\ud800 \xff\"}"); }),
              testing::StartsWith("400 bad_json"));
  EXPECT_THAT(problem_with([] { body_of("{\"a\":\"\\ud800\""); }),
              testing::StartsWith("400 bad_json"));
}

TEST(JsonBody, NumbersBeyond64BitsAreRead) {
  JsonBody body = body_of("{\"a\":100000000000000000000,\"b\":0.5,\"c\":18446744073709551615}");
  EXPECT_EQ(body.real("a", 0, 1e30), 1e20);
  EXPECT_EQ(body.real("b", 0, 1), 0.5);
  EXPECT_EQ(body.number("c", 0, std::numeric_limits<std::uint64_t>::max()),
            std::numeric_limits<std::uint64_t>::max());
  EXPECT_NE(problem_with([&] { body.number("a", 0, 5); }), "");
  EXPECT_EQ(body.raw("a"), "100000000000000000000");
}

TEST(JsonBody, ThresholdsAreNumbersOrDecimals) {
  for (const std::string_view json : {"0.8", "\"0.8\"", "8e-1", "\"0.80\""})
    EXPECT_EQ(body_of("{\"t\":" + std::string(json) + "}").threshold("t"), Threshold::parse("0.8"))
        << json;
  for (const std::string_view json : {"0", "1.01", "-1", "\"\"", "\"half\"", "\"2\"", "[]", "true"})
    EXPECT_TRUE(problem_with([&] {
                  body_of("{\"t\":" + std::string(json) + "}").threshold("t");
                }).starts_with("422 wrong_value /t: "))
        << json;
}

TEST(JsonBody, ObjectsWithinHaveTheirPlace) {
  JsonBody body = body_of(R"({"a":{"b":{"id": 123456789012345678901, "n":9}}})");
  auto inner = body.object("a")->object("b");
  ASSERT_TRUE(inner);
  EXPECT_EQ(inner->id("id"), "123456789012345678901");
  EXPECT_EQ(problem_with([&] { inner->number("n", 1, 8); }),
            "422 wrong_value /a/b/n: 'n' is not a whole number from 1 to 8");
  EXPECT_EQ(problem_with([] { body_of(R"({"a":{"b":1,"b":2}})").object("a"); }),
            "422 wrong_value /a/b: 'b' is given twice");
}

TEST(JsonBody, MembersThatNobodyAskedForAreRefused) {
  JsonBody body = body_of(R"({"a":1,"b":{"c":1}})");
  body.number("a", 0, 1);
  body.flag("z");
  EXPECT_EQ(problem_with([&] { body.finish(); }),
            "422 unknown_member /b: 'b' is not known here; known are a, z");
  const auto inner = body.object("b");
  body.finish();
  EXPECT_EQ(problem_with([&] { inner->finish(); }),
            "422 unknown_member /b/c: 'c' is not known here; known are none");
  const std::string name(100, 'n');
  EXPECT_EQ(problem_with([&] { body_of("{\"" + name + "\":1}").finish(); }),
            "422 unknown_member /" + name.substr(40) + ": '" + name.substr(40) +
                "' is not known here; known are none");
}

TEST(QueryNumber, IsAWholeNumberWithinItsBounds) {
  Request request;
  request.query = {{"two", "2"},    {"empty", ""},  {"sign", "+2"},
                   {"blank", " 2"}, {"more", "2x"}, {"large", "99999999999999999999"}};
  EXPECT_EQ(query_number(request, "two", 2, 2), 2u);
  EXPECT_EQ(query_number(request, "nothing", 1, 3), std::nullopt);
  for (const std::string name : {"empty", "sign", "blank", "more", "large"})
    EXPECT_EQ(problem_with([&] { query_number(request, name, 0, 100); }),
              "422 wrong_value " + name + ": '" + name + "' is not a whole number from 0 to 100");
  EXPECT_NE(problem_with([&] { query_number(request, "two", 3, 9); }), "");
  EXPECT_NE(problem_with([&] { query_number(request, "two", 0, 1); }), "");
}

}  // namespace
}  // namespace benzer::server
