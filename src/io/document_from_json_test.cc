#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "benzer/error.h"
#include "benzer/input.h"

#include "base/error_test_util.h"
#include "io/record_parser.h"

namespace benzer {
namespace {

std::string spelled(const AttributeChange& change) {
  std::string out = change.id + ":";
  for (const Attribute& one : change.set) out += " " + one.name + "=" + one.value;
  for (const std::string& one : change.removed) out += " -" + one;
  return out;
}

std::string problem_of(const std::string& json, const std::string& id_field = "id",
                       bool was_replaced = false) {
  try {
    return "no problem: " + spelled(change_from_json(json, id_field, was_replaced));
  } catch (const Error& error) {
    return error.what();
  }
}

// An id that was spelled otherwise would be that of another document.
TEST(ChangeFromJson, NumbersKeepTheirDigits) {
  for (const char* number : {"1.50", "1E2", "-0", "0", "-0.0", "12345678901234567890", "1e999",
                             "123456789012345678901234567890"}) {
    const std::string digits = number;
    EXPECT_EQ(spelled(change_from_json("{\"n\": " + digits + " ,\"id\":" + digits + "}")),
              digits + ": n=" + digits);
  }
}

TEST(ChangeFromJson, ValuesOfAllKinds) {
  EXPECT_EQ(spelled(change_from_json(R"({"id":"\u0061","b":true,"s":"\"","n":null,"e":""})")),
            "a: b=true e= s=\" -n");
  EXPECT_EQ(spelled(change_from_json(R"({"n":null,"n":1,"m":1,"m":null,"id":1,"id":2})")),
            "2: n=1 -m");
  EXPECT_EQ(spelled(change_from_json(R"({"n":1})")), ": n=1");
}

TEST(ChangeFromJson, MembersOfObjectsHavePaths) {
  EXPECT_EQ(spelled(change_from_json(R"({"meta":{"id":1.50,"lang":"de"},"n":1})", "meta.id")),
            "1.50: meta.lang=de n=1");
  EXPECT_EQ(spelled(change_from_json(R"({"meta":{"id":"a"}})", "/meta/id")), "a:");
  EXPECT_EQ(spelled(change_from_json(R"({"ids":["a","b"],"n":2})", "ids.1")), "b: n=2");
  EXPECT_EQ(spelled(change_from_json(R"({"meta.id":"a","meta":{"id":"b"}})", "meta.id")), "a:");
  EXPECT_EQ(spelled(change_from_json(R"({"id":"a","x":{"id":1,"y":{"z":null}}})")),
            "a: x.id=1 -x.y.z");
  for (const char* value : {"[]", "{}", "[1]", R"({"x":{}})"})
    EXPECT_TRUE(problem_of(R"({"id":"a","n":)" + std::string(value) + "}")
                    .ends_with("must be a string, a number, a boolean or null"))
        << value;
  EXPECT_EQ(problem_of(R"({"id":"a","n":{"x":[]}})"),
            "the member \"n.x\" must be a string, a number, a boolean or null");
}

TEST(ChangeFromJson, WhatIsWrongIsSaid) {
  EXPECT_EQ(problem_of(""), "the change is empty, it must be a JSON object");
  EXPECT_EQ(problem_of("[]"), "the line is an array, it must be a JSON object");
  EXPECT_EQ(problem_of("{"),
            "malformed JSON at byte 2: found the end where a field name or '}' is allowed");
  EXPECT_EQ(problem_of(R"({"id":true})"),
            "the field \"id\" is neither a string nor a number, and a document of an index needs "
            "an id");
}

// Two ids that differ only in invalid text would become one.
TEST(ChangeFromJson, IdsAreValidText) {
  const std::string problem = "the id in the field \"id\" " + std::string(kDoubtfulId);
  EXPECT_EQ(problem_of("{\"id\":\"a\xff\"}"), problem);
  EXPECT_EQ(problem_of(R"({"id":"a\ud800"})"), problem);
  EXPECT_EQ(problem_of("{\"id\":\"a\xEF\xBF\xBD\"}", "id", true), problem);
  EXPECT_EQ(spelled(change_from_json("{\"id\":\"a\xEF\xBF\xBD\"}")), "a\xEF\xBF\xBD:");
  EXPECT_EQ(spelled(change_from_json("{\"id\":\"a\",\"n\":\"\xff\"}")), "a: n=\xEF\xBF\xBD");
}

TEST(ValuesFromJson, AreOneJsonValue) {
  const InputField field{.name = "v", .is_values = true};
  EXPECT_EQ(values_from_json(R"( ["a","b"] )", field).values, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(error_sentence(ErrorCode::kBadInput, [&] { values_from_json("null", field); }),
            "the JSON is null, and no values");
  for (const char* json : {R"(["a"],"w":1)", R"(["a"],"v":["b"])", R"(["a"]})", "", " ", "]", "["})
    EXPECT_EQ(error_of([&] { values_from_json(json, field); }).code(), ErrorCode::kBadInput)
        << json;
}

}  // namespace
}  // namespace benzer
