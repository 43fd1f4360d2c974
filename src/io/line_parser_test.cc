#include "io/line_parser.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "benzer/internal/json.h"

#include "io/json_check.h"
#include "io/json_repair.h"
#include "io/line_parser_test_util.h"

namespace benzer {
namespace {

using std::string_literals::operator""s;

using Parsed = ParsedTestLine;
constexpr auto parse = [](std::string line, const LineFields& fields = {}) {
  return parse_line(std::move(line), fields);
};

TEST(LineParser, WhatIsWrongIsSaid) {
  const std::string deep = R"({"text":"x","d":)" + std::string(1100, '[');
  const struct {
    std::string line, problem;
  } table[] = {
      {R"({"id":1})", R"(the field "text" is missing, it must be a string)"},
      {R"({"text":5})", R"(the field "text" is a number, it must be a string)"},
      {R"({"text":null})", R"(the field "text" is null, it must be a string)"},
      {R"({"text":true})", R"(the field "text" is a boolean, it must be a string)"},
      {R"({"text":["a"]})", R"(the field "text" is an array, it must be a string)"},
      {R"({"text":{}})", R"(the field "text" is an object, it must be a string)"},
      {R"({"text":"b","text":1})", R"(the field "text" is a number, it must be a string)"},
      {R"(["text"])", "the line is an array, it must be a JSON object"},
      {R"("text")", "the line is a string, it must be a JSON object"},
      {"17", "the line is a number, it must be a JSON object"},
      {"null", "the line is null, it must be a JSON object"},
      {"\xEF\xBB\xBF{\"text\":\"x\"}",
       "malformed JSON at byte 1: found the byte 0xef where a value is allowed"},
      {R"({"text":"x")", "malformed JSON at byte 12: found the end where ',' or '}' is allowed"},
      {R"({"text":"x)",
       "malformed JSON at byte 11: found the end inside a string, where '\"' is allowed"},
      {R"({"text" "x"})", "malformed JSON at byte 9: found '\"' where ':' is allowed"},
      {R"({text:"x"})", "malformed JSON at byte 2: found 't' where a field name or '}' is allowed"},
      {R"({"text":"x",})", "malformed JSON at byte 13: found '}' where a field name is allowed"},
      {R"({"text":"x"} {})",
       "malformed JSON at byte 14: found '{' where the end of the line is allowed"},
      {R"({"text":'x'})", "malformed JSON at byte 9: found ''' where a value is allowed"},
      {R"({"text":"x","n":01})",
       "malformed JSON at byte 18: found the number \"0\" going on with '1', which is not allowed"},
      {R"({"text":"x","n":1.})",
       "malformed JSON at byte 18: found the number \"1\" going on with '.', which is not allowed"},
      {R"({"text":"x","n":-})", "malformed JSON at byte 18: found '}' where a digit is allowed"},
      {R"({"text":"x","n":NaN})", "malformed JSON at byte 17: found 'N' where a value is allowed"},
      {R"({"text":"x","n":tru})", "malformed JSON at byte 20: found '}' where \"true\" is allowed"},
      {R"({"text":"\x"})", "malformed JSON at byte 10: found a backslash that begins no escape"},
      {R"({"text":"\u12"})",
       "malformed JSON at byte 10: found \"\\u\" without four hexadecimal digits"},
      {"{\"text\":\"a\0b\"}"s,
       "malformed JSON at byte 11: found the control character 0x00 inside a string, where only "
       "its "
       "escape is allowed"},
      {"\0"s, "malformed JSON at byte 1: found the byte 0x00 where a value is allowed"},
      {"hello", "malformed JSON at byte 1: found 'h' where a value is allowed"},
      {deep,
       "malformed JSON at byte 1040: found a nesting deeper than 1024 levels, which is what is "
       "allowed"},
  };
  for (const auto& row : table) {
    const Parsed parsed = parse(row.line);
    EXPECT_EQ(parsed.outcome, LineParser::Outcome::kProblem) << row.line;
    EXPECT_EQ(parsed.problem, row.problem) << row.line;
  }
}

TEST(LineParser, SeveralFields) {
  LineFields fields;
  fields.fields = {{"title", false}, {"tags", true}, {"body", false}};
  LineParser parser(fields);
  const auto parse_line = [&](const std::string& line, ParsedLine& out) {
    static std::string memory;
    memory = line + std::string(kLinePadding, '"');
    return parser.parse(std::string_view(memory).substr(0, line.size()), out);
  };
  ParsedLine out;
  ASSERT_EQ(
      parse_line(R"({"tags":["x","y"],"id":"a\"b","title":"old","title":"new","body":null})", out),
      LineParser::Outcome::kDocument);
  EXPECT_EQ(out.view.id, "a\"b");
  ASSERT_EQ(out.view.fields.size(), 3U);
  EXPECT_EQ(out.view.fields[0].text, "new");
  EXPECT_EQ(out.view.fields[1].values.size(), 2U);
  EXPECT_EQ(out.view.fields[1].values[1], "y");
  EXPECT_FALSE(out.view.fields[2].is_there);
  EXPECT_EQ(out.view.bytes, 5U);
  ASSERT_EQ(parse_line(R"({"id":-0.50,"body":null})", out), LineParser::Outcome::kDocument);
  EXPECT_EQ(out.view.id, "-0.50");
  for (const char* line :
       {R"({"title":"x"})", R"({"id":null,"title":"x"})", R"({"id":1})", R"({"id":1,"Title":"x"})",
        R"({"id":"","body":"x"})", R"({"id":1,"body":1})", R"({"id":1,"tags":"x"})",
        R"({"id":1,"tags":[1]})"}) {
    EXPECT_EQ(parse_line(line, out), LineParser::Outcome::kProblem) << line;
    EXPECT_FALSE(out.problem.empty());
  }
}

// Two ids that differ only in invalid text would become one.
TEST(LineParser, IdsOfAnIndexAreValidText) {
  LineFields names;
  names.fields = {{.name = "body"}};
  for (const std::string& line :
       {R"({"id":"a\ud800","body":"x"})"s, "{\"id\":\"a\xff\",\"body\":\"x\"}"s}) {
    const Parsed parsed = parse(line, names);
    EXPECT_EQ(parsed.outcome, LineParser::Outcome::kProblem) << line;
    EXPECT_EQ(parsed.problem, "the id in the field \"id\" " + std::string(kDoubtfulId)) << line;
  }
  for (const std::string& line :
       {"{\"id\":\"a\xEF\xBF\xBD\",\"body\":\"x\"}"s, R"({"id":"a","body":"\ud800"})"s}) {
    const Parsed parsed = parse(line, names);
    EXPECT_EQ(parsed.outcome, LineParser::Outcome::kDocument) << line << parsed.problem;
  }
}

TEST(LineParser, AnIdThatIsMissingIsNamed) {
  LineFields names;
  names.fields = {{.name = "body"}};
  const std::string needs = ", and a document of an index needs an id";
  for (const auto& [id, what] : {std::pair{"", "missing"}, std::pair{R"("id":null,)", "null"},
                                 std::pair{R"("id":"",)", "empty"},
                                 std::pair{R"("id":[],)", "neither a string nor a number"}})
    EXPECT_EQ(parse("{" + std::string(id) + R"("body":"x"})", names).problem,
              "the field \"id\" is " + std::string(what) + needs);
}

// Records of different groups are never similar, also if U+FFFD replaces text in both.
TEST(LineParser, GroupsDifferThatDifferInInvalidTextOnly) {
  const auto group = [](const std::string& value, const std::string& rest = "") {
    return parse("{\"text\":\"x\",\"g\":" + value + rest + "}", with_attributes("g", {})).group;
  };
  const std::vector<std::string> all = {
      "\"\xff\"",    "\"\xfe\"",         "\"\xff\xff\"",         "\"a\xff\"", R"("\ud800")",
      R"("\udfff")", "\"\xEF\xBF\xBD\"", "\"\xEF\xBF\xBD\xff\"", "\"a\"",     "\"!a\""};
  for (const std::string& one : all) {
    for (const std::string& other : all) EXPECT_EQ(group(one) == group(other), &one == &other);
    // Invalid text elsewhere in the line makes no other group.
    EXPECT_EQ(group(one), group(one, ",\"more\":\"\xff\"")) << one;
  }
}

TEST(StrictJson, IsReadAlikeByAll) {
  const struct {
    std::string json, strict;
  } table[] = {
      {R"({"a":"x","n":[1,-0,1e308,2.5E-999,123456789012345678901234567890]})",
       R"({"a":"x","n":[1,-0,1e308,2.5E-999,123456789012345678901234567890]})"},
      {R"({"a":"\ud800x","\udc00":"\ud83d\ude00"})", R"({"a":"\ufffdx","\ufffd":"\ud83d\ude00"})"},
      {R"({"n":1.7976931348623158e308})", R"({"n":1.7976931348623158e308})"},
      {R"({"a":"1e999","b\"1e999":2})", R"({"a":"1e999","b\"1e999":2})"},
  };
  for (const auto& row : table) EXPECT_EQ(strict_json(row.json), row.strict);
  for (const char* json : {R"({"n":1e999})", R"({"n":[{"m":-1e309}]})", R"({"n":1.8e308})"})
    EXPECT_THROW(strict_json(json), Error) << json;
}

TEST(LineParser, BlankLinesAreNoDocuments) {
  for (const std::string line : {"", " ", "\t \r"})
    EXPECT_EQ(parse(line).outcome, LineParser::Outcome::kBlank);
}

TEST(LineParser, Texts) {
  const std::string r = "\xEF\xBF\xBD";
  const struct {
    std::string line, text;
    bool replaced;
  } table[] = {
      {R"({"text":""})", "", false},
      {R"({"text":"a\u0000b\n\"\u00e9\ud83d\ude00"})", "a\0b\n\"é😀"s, false},
      {" {\"text\" : \"x\" } \r", "x", false},
      {R"({"text":"a","text":"b"})", "b", false},  // the last one is used
      {R"({"text":1,"te\u0078t":"b","t":"c"})", "b", false},
      {R"({"te\u0078t":"a"})", "a", false},  // names may be escaped
      {R"({"n":{"text":"inner"},"text":"outer"})", "outer", false},
      {"{\"text\":\"a\xff\xfe\"}", "a" + r + r, true},
      {"{\"text\":\"\xE2\x82 x\"}", r + " x", true},
      {"{\"text\":\"x\",\"other\":\"\x80\"}", "x", true},
      {R"({"text":"\ud800"})", r, true},
      {R"({"text":"\udc00x"})", r + "x", true},
      {R"({"text":"\ud800\ud83d\ude00"})", r + "😀", true},
      {R"({"text":"\ud800\u0041"})", r + "A", true},
      {R"({"text":"\\ud800"})", "\\ud800", false},
      {R"({"text":"x","n":1e999})", "x", false},
      {R"({"text":"x","n":-123456789012345678901234567890})", "x", false},
      {R"({"text":"1e999 \" 5","n":[1e999,2,-0,1.5E+400],"s":"\\"})", "1e999 \" 5", false},
      {"{\"text\":\"\xff\",\"n\":1e999}", r, true},
  };
  for (const auto& row : table) {
    const Parsed parsed = parse(row.line);
    EXPECT_EQ(parsed.problem, "") << row.line;
    EXPECT_EQ(parsed.text, row.text) << row.line;
    EXPECT_EQ(parsed.replaced, row.replaced) << row.line;
  }
}

TEST(LineParser, IdsKeepTheirDigits) {
  const struct {
    std::string id, json;
  } table[] = {
      {"17", "17"},
      {"0", "0"},
      {"-0", "-0"},
      {"-5", "-5"},
      {"9223372036854775807", "9223372036854775807"},
      {"18446744073709551615", "18446744073709551615"},
      {"18446744073709551616", "18446744073709551616"},
      {"123456789012345678901234567890123", "123456789012345678901234567890123"},
      {"1.50", "1.50"},
      {"1e3", "1e3"},
      {"1E999 ", "1E999"},
      {"\"a\"", "\"a\""},
      {"\"\"", "\"\""},
      {"\"a\\u0062\\/\\n\"", "\"ab/\\n\""},
      {"\"\\ud800\"", "\"\xEF\xBF\xBD\""},
      {"null", ""},
      {"true", ""},
      {"{\"a\":1}", ""},
      {"[1]", ""},
  };
  for (const auto& row : table) {
    EXPECT_EQ(parse("{\"id\":" + row.id + ",\"text\":\"x\"}").id, row.json) << row.id;
    EXPECT_EQ(parse("{\"text\":\"x\", \"id\" : " + row.id + " }").id, row.json) << row.id;
    EXPECT_EQ(parse("{\"id\":" + row.id + ",\"text\":\"x\",\"n\":1e999}").id, row.json) << row.id;
  }
  EXPECT_EQ(parse(R"({"text":"x"})").id, "");
  EXPECT_EQ(parse(R"({"id":1,"id":2,"text":"x"})").id, "2");
  EXPECT_EQ(parse(R"({"id":1.50,"text":"x","i\u0064":2.50})").id, "2.50");
  EXPECT_EQ(parse(R"({"id":{"id":3.5},"id":[4.5],"id":2.50,"text":"x"})").id, "2.50");
  EXPECT_EQ(parse(R"({"id":2.50,"id":null,"text":"x"})").id, "");
  EXPECT_EQ(parse(R"({"id":2.50,"id":"s","text":"x","n":{"id":7.5}})").id, "\"s\"");
  EXPECT_EQ(parse(R"({"key":7,"id":2,"body":"x"})", {"key", "body", ""}).id, "7");
  EXPECT_EQ(parse(R"({"text":"x"})", {"text", "text", ""}).id, "\"x\"");
}

TEST(LineParser, ValueSets) {
  const LineFields fields{"id", "text", "tags"};
  const Parsed parsed = parse(R"({"id":"p","tags":["a","","ü","a"]})", fields);
  EXPECT_EQ(parsed.values, (std::vector<std::string>{"a", "", "ü", "a"}));
  EXPECT_EQ(parsed.text, "");
  EXPECT_TRUE(parse(R"({"tags":[]})", fields).values.empty());
  EXPECT_EQ(parse(R"({"tags":["a"],"tags":["b","c"]})", fields).values,
            (std::vector<std::string>{"b", "c"}));  // the last one is used
  EXPECT_EQ(parse(R"({"tags":"a"})", fields).problem,
            "the field \"tags\" is a string, it must be an array of strings");
  EXPECT_EQ(parse(R"({"tags":["a",3]})", fields).problem,
            "element 2 of the field \"tags\" is a number, it must be a string");
  EXPECT_EQ(parse(R"({"text":"a"})", fields).problem,
            "the field \"tags\" is missing, it must be an array of strings");
}

TEST(LineParser, ValuesWithWeights) {
  LineFields fields{"id", "text", "gear"};
  EXPECT_EQ(parse(R"({"gear":{"tent":1}})", fields).problem,
            "the field \"gear\" is an object, it must be an array of strings");
  fields.has_weights = true;
  const Parsed parsed = parse(R"({"gear":{"tent":2.5,"":1,"tent":1e-6,"rope":99999000}})", fields);
  EXPECT_EQ(parsed.problem, "");
  EXPECT_EQ(parsed.values, (std::vector<std::string>{"tent", "", "tent", "rope"}));
  EXPECT_EQ(parsed.weights, (std::vector<double>{2.5, 1, 0.000001, 99'999'000}));
  EXPECT_TRUE(parse(R"({"gear":["a"]})", fields).weights.empty());
  EXPECT_EQ(parse(R"({"gear":["a"]})", fields).values, std::vector<std::string>{"a"});
  constexpr std::pair<const char*, const char*> kProblems[] = {
      {R"({"a":0})", R"(the weight of "a" in the field "gear" is 0; allowed are numbers from )"
                     "0.000001 to 99999000"},
      {R"({"a":1,"b":-2.5})", R"(the weight of "b" in the field "gear" is -2.5; allowed are )"
                              "numbers from 0.000001 to 99999000"},
      {R"({"a":1e9})", R"(the weight of "a" in the field "gear" is 1000000000; allowed are )"
                       "numbers from 0.000001 to 99999000"},
      {R"({"a":"1"})", R"(the weight of "a" in the field "gear" is a string, it must be a number)"},
      {R"({"a":null})", R"(the weight of "a" in the field "gear" is null, it must be a number)"},
      {R"({"a":{"b":1}})",
       R"(the weight of "a" in the field "gear" is an object, it must be a number)"},
      {R"("a")", R"(the field "gear" is a string, it must be an object of weights or an array )"
                 "of strings"},
      {R"(["a",{"b":1}])", R"(element 2 of the field "gear" is an object, it must be a string)"}};
  for (const auto& [gear, problem] : kProblems)
    EXPECT_EQ(parse(R"({"gear":)" + std::string(gear) + "}", fields).problem, problem);
  std::string many = R"({"gear":{)";
  for (int i = 0; i < 91; ++i) many += (i > 0 ? ",\"" : "\"") + std::to_string(i) + "\":99e6";
  EXPECT_EQ(parse(many + "}}", fields).problem,
            "the sum of the weights in the field \"gear\" is more than 9000000000, the most that "
            "is allowed");
  // The JSON parser replaces numbers that are out of range; such a weight must not become another.
  for (const std::string weight : {"1e400", "1e-400", "123456789012345678901234567890", "-1"})
    EXPECT_EQ(parse(R"({"n":1e999,"gear":{"b":1,"a": )" + weight + " }}", fields).problem,
              "the weight of \"a\" in the field \"gear\" is " + weight +
                  "; allowed are numbers from 0.000001 to 99999000");
}

TEST(LineParser, FieldNamesInSentencesAreQuoted) {
  EXPECT_EQ(parse("{}", {"id", "a\"b\n", ""}).problem,
            R"(the field "a\"b\n" is missing, it must be a string)");
}

// The slow checker and simdjson must agree about everything.
RC_GTEST_PROP(LineParser, CheckerAndParserAgree, ()) {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
      "{", "}", "[", "]", ",", ":", "\"", "\"text\"", "\"id\"", "1", "-", "0", "1e999", ".5", "e",
      "true", "nul", "null", " ", "\\", "\\u", "d800", "dc00", "\\ud83d\\ude00", "\xff", "\xE2\x82",
      "x", "\t"));
  std::string line = *rc::gen::element<std::string>("", "{\"text\":\"", "{\"text\":", "{", "[");
  for (const auto& piece : pieces) line += piece;
  line += *rc::gen::element<std::string>("", "\"}", "}", "]");
  const Parsed parsed = parse(line);
  std::string repaired;
  const bool changed = replace_invalid_text(line, repaired);
  const bool malformed = find_json_fault(changed ? repaired : line).has_value();
  if (parsed.outcome == LineParser::Outcome::kBlank) return;
  RC_ASSERT(malformed == parsed.problem.starts_with("malformed"));
  RC_ASSERT(!parsed.problem.starts_with("the JSON parser"));
}

RC_GTEST_PROP(LineParser, EveryTextComesBack, (const std::string& bytes, const std::string& id)) {
  std::string text, valid_id;
  append_valid_utf8(text, bytes);
  const Parsed parsed =
      parse("{\"id\":" + json_string(id) + ",\"text\":" + json_string(bytes) + "}");
  RC_ASSERT(parsed.text == text);
  RC_ASSERT(parsed.id == json_string(id));
  RC_ASSERT(!parsed.replaced);
}

}  // namespace
}  // namespace benzer
