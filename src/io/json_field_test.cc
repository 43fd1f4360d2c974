#include "io/json_field.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/number_text.h"
#include "io/line_parser_test_util.h"

namespace benzer {
namespace {

// Two numbers are the same group if their values are equal to the last digit.
TEST(LineNumbers, GroupsOfNumbersAreExact) {
  const std::vector<std::vector<std::string>> groups = {
      {"0", "-0", "0.0", "-0e5", "0E-99999999999999999999"},
      {"1", "1.0", "1e0", "10e-1", "0.1E+1", "1.000000000000000000000000000000"},
      {"-1", "-1.0"},
      {"7"},
      {"8"},
      {"1000", "1e3", "1.0e3"},
      {"0.5", "5e-1", "0.50"},
      {"0.1"},
      {"0.1000000000000000000000000000000001"},
      {"9007199254740993", "9007199254740993.0"},
      {"9007199254740992.0"},
      {"18446744073709551615", "18446744073709551615.0"},
      {"18446744073709551616"},
      {"123456789012345678901234567890", "12345678901234567890123456789e1"},
      {"123456789012345678901234567891"},
      {"-123456789012345678901234567890"},
      {"100000000000000000000", "1e20", "1E+020"},
      {"1000000000000000000000", "1e21"},
      {"1e999", "10e998", "1e+0000000000000000999"},
      {"1e1000"},
      {"1e-999"},
      {"1e123456789012345678901"},
      {"1e123456789012345678902"},
      {"\"1\""},
      {"true"},
  };
  std::map<std::string, std::size_t> group_of_name;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    std::set<std::string> names;
    for (const std::string& number : groups[i]) {
      for (const std::string other :
           {"", ",\"n\":1e999", ",\"n\":[123456789012345678901234567890]"}) {
        const std::string line = "{\"g\":" + number + ",\"text\":\"x\"" + other + "}";
        names.insert(parse_line(line, with_attributes("g", {})).group);
      }
    }
    EXPECT_EQ(names.size(), 1u) << groups[i][0];
    EXPECT_TRUE(group_of_name.emplace(*names.begin(), i).second) << *names.begin();
  }
  // The names of groups must not change, because earlier runs have saved them.
  EXPECT_EQ(parse_line(R"({"g":1.0,"text":""})", with_attributes("g", {})).group, "1");
  EXPECT_EQ(parse_line(R"({"g":-0.25,"text":""})", with_attributes("g", {})).group, "-0.25");
}

TEST(LineNumbers, NumbersAreReadAsExactlyAsTheyCanBe) {
  const struct {
    std::string number, value;
  } table[] = {
      {"0", "0"},
      {"-0", "0"},
      {"5", "5"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"18446744073709551615", "18446744073709551615"},
      {"18446744073709551616", "18446744073709551616"},
      {"123456789012345678901234567890", "1.2345678901234567890123456789e29"},
      {"0.1", "0.1"},
      {"0.1000000000000000000001", "0.1000000000000000000001"},
      {"9007199254740993.0", "9007199254740993"},
      {"1e999", "1e999"},
      {"-1e4000", "-1e4000"},
      {"1e99999999999999999999", "infinite"},
      {"-1e99999", "-infinite"},
      {"1e-99999999999999999999", "0"},
      {"-1e-99999", "0"},
      {"0e99999999999999999999", "0"},
      {"1" + std::string(6000, '0'), "1e6000"},
      {"0." + std::string(6000, '0') + "1", "1e-6001"},
  };
  for (const auto& row : table) {
    for (const std::string other : {"", ",\"m\":-1e999"}) {
      const std::string line = "{\"n\":" + row.number + ",\"text\":\"x\"" + other + "}";
      const ParsedTestLine parsed = parse_line(line, with_attributes("", {"n"}));
      ASSERT_EQ(parsed.numbers.size(), 1u) << parsed.problem;
      EXPECT_EQ(parsed.numbers[0].str(), row.value) << row.number;
    }
  }
  const LineFields two = with_attributes("", {"a", "b"});
  EXPECT_EQ(parse_line(R"({"a":3,"b":1e999,"text":""})", two).numbers,
            (std::vector<Number>{3, Number::in("1e999")}));
  EXPECT_EQ(parse_line(R"({"a":3,"a":4.5,"b":1e999,"b":-2,"text":""})", two).numbers,
            (std::vector<Number>{4.5, -2}));
  for (const std::string none : {"null", "\"5\"", "true", "[1]", "{}"})
    EXPECT_EQ(
        parse_line("{\"n\":" + none + ",\"text\":\"\"}", with_attributes("", {"n"})).numbers[0],
        Number());
}

TEST(JsonField, NamesLeadIntoObjectsAndArrays) {
  const struct {
    std::string line, name, text;  // no text: the field is missing
  } table[] = {
      {R"({"meta":{"text":"a"}})", "meta.text", "a"},
      {R"({"meta":{"text":"a"}})", "/meta/text", "a"},
      {R"({"meta":{"text":"a"},"meta.text":"b"})", "meta.text", "b"},  // the key takes precedence
      {R"({"meta":{"text":"a"},"/meta/text":"b"})", "/meta/text", "b"},
      {R"({"meta":{"text":"a"},"meta.text":"b"})", "/meta/text", "a"},
      {R"({"meta.text":"b"})", "/meta.text", "b"},
      {R"({"a":{"b":{"c":"x"}}})", "a.b.c", "x"},
      {R"({"a":{"b.c":"x"}})", "a.b.c", ""},
      {R"({"a":{"b.c":"x"}})", "/a/b.c", "x"},
      {R"({"a/b":{"c~d":"x"}})", "/a~1b/c~0d", "x"},
      {R"({"~1":"x"})", "/~01", "x"},
      {R"({"":"x"})", "/", "x"},
      {R"({"a":{"":"x"}})", "/a/", "x"},
      {R"({"/a~2":"x","a~2":"y"})", "/a~2", "x"},  // not a pointer, only a key
      {R"({"a~2":"y"})", "/a~2", ""},
      {R"({"a.":"x"})", "a.", "x"},
      {R"({"a":{"":"x"}})", "a.", ""},
      {R"({".a":"x"})", ".a", "x"},
      {R"({"t":["a","b"]})", "t.1", "b"},
      {R"({"t":[{"x":"a"},{"x":"b"}]})", "/t/1/x", "b"},
      {R"({"t":["a","b"]})", "t.2", ""},
      {R"({"t":["a","b"]})", "t.01", ""},
      {R"({"t":["a","b"]})", "t.-", ""},
      {R"({"t":{"01":"a"}})", "t.01", "a"},
      {R"({"a":{"b":"1"},"a":{"b":"2","b":"3"}})", "a.b", "3"},  // the last one is used
      {R"({"a":{"b":"1"},"a":null})", "a.b", ""},
      {R"({"a":"b"})", "a.b", ""},
      {R"({"m\u0065ta":{"te\u0078t":"a"}})", "meta.text", "a"},
  };
  for (const auto& row : table) {
    LineFields fields;
    fields.text = row.name;
    const ParsedTestLine parsed = parse_line(row.line, fields);
    EXPECT_EQ(parsed.text, row.text) << row.line << row.name;
    EXPECT_EQ(parsed.problem.empty(), !row.text.empty()) << row.line << row.name;
  }
}

TEST(JsonField, EveryFieldMayBeInside) {
  LineFields fields = with_attributes("m.g", {"/m/n/1", "m.big"});
  fields.id = "m.id";
  const std::string line =
      R"({"x":{"m":1.5},"m":{"id":1.50,"id":-0,"g":1e999,"n":[2e999,3e999],"big":4,"t":"x"},"text":"y"})";
  const ParsedTestLine parsed = parse_line(line, fields);
  EXPECT_EQ(parsed.text, "y");
  EXPECT_EQ(parsed.id, "-0");
  EXPECT_EQ(parsed.group, "1e999");
  EXPECT_EQ(parsed.numbers, (std::vector<Number>{Number::in("3e999"), 4}));
  fields = {};
  fields.fields = {{"m.t", false}, {"tags.0", true}};
  LineParser parser(fields);
  const std::string named = R"({"id":1,"m":{"t":"x"},"tags":[["a","b"]]})";
  const std::string padded = named + std::string(kLinePadding, '"');
  ParsedLine out;
  ASSERT_EQ(parser.parse(std::string_view(padded).substr(0, named.size()), out),
            LineParser::Outcome::kDocument);
  EXPECT_EQ(out.view.fields[0].text, "x");
  EXPECT_EQ(out.view.fields[1].values.size(), 2u);
}

// In an object with numbers of all sizes at any depth, each wanted number is found with its digits,
// whatever surrounds it.
RC_GTEST_PROP(LineNumbers, NumbersComeBackByTheirDigits, ()) {
  const auto number = rc::gen::map(
      rc::gen::tuple(
          rc::gen::element<std::string>("", "-"),
          rc::gen::element<std::string>("0", "7", "9007199254740993", "18446744073709551615",
                                        "18446744073709551616", "99999999999999999999999"),
          rc::gen::element<std::string>("", "", ".0", ".50", ".1234567890123456789012345"),
          rc::gen::element<std::string>("", "", "e0", "E+5", "e-12", "e999", "e-4999")),
      [](const auto& parts) {
        return std::get<0>(parts) + std::get<1>(parts) + std::get<2>(parts) + std::get<3>(parts);
      });
  const auto key = rc::gen::element<std::string>("id", "g", "n", "m", "x", "\\u006e", "a\\\"b");
  const auto value = rc::gen::oneOf(
      number,
      rc::gen::map(rc::gen::pair(key, number),
                   [](const auto& one) { return "{\"" + one.first + "\":" + one.second + "}"; }),
      rc::gen::map(number, [](const std::string& one) { return "[1," + one + "]"; }),
      rc::gen::element<std::string>("\"1e999\"", "\"\\\"5\"", "true", "{}", "[]"));
  std::string line = "{";
  const auto add = [&](const std::string& name, const std::string& json) {
    line += (line.size() > 1 ? ", \"" : "\"") + name + "\" :" + json;
  };
  const auto filler = [&] {
    const auto pairs = *rc::gen::container<std::vector<std::pair<std::string, std::string>>>(
        rc::gen::pair(key, value));
    for (const auto& [name, json] : pairs) add(name, json);
  };
  const std::string id = *number, group = *number, first = *number, second = *number;
  filler();
  add("text", "\"x\"");
  add("id", id);
  add("g", group);
  add("m", "{\"n\":7.5,\"n\":" + first + ",\"x\":[" + *value + "," + second + "]}");
  line += "}";
  LineFields fields = with_attributes("g", {"m.n", "/m/x/1"});
  const ParsedTestLine parsed = parse_line(line, fields);
  RC_ASSERT(parsed.problem == "");
  RC_ASSERT(parsed.id == id);
  std::string name;
  append_number_name(name, group);
  RC_ASSERT(parsed.group == name);
  RC_ASSERT(parsed.numbers == (std::vector{Number::in(first), Number::in(second)}));
}

}  // namespace
}  // namespace benzer
