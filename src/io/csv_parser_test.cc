#include "io/csv_parser.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace benzer {
namespace {

using Outcome = RecordParser::Outcome;

CsvColumns columns() {
  CsvColumns columns;
  columns.names = {"id", "text", "by", "n"};
  columns.text = 1;
  columns.id = 0;
  columns.group = 2;
  columns.numbers = {3};
  return columns;
}

struct ParsedRecord {
  Outcome outcome;
  std::string text, id, group, problem;
  Number number;
  bool replaced = false, without_group = false, without_number = false;
};

ParsedRecord parse_record(const std::string& record) {
  const CsvColumns known = columns();
  CsvParser parser(known);
  ParsedLine out;
  ParsedRecord parsed;
  parsed.outcome = parser.parse(record, out);
  parsed.problem = out.problem;
  if (parsed.outcome != Outcome::kDocument) return parsed;
  parsed.text = out.view.text;
  parsed.id = out.id_json;
  parsed.group = out.view.group;
  parsed.number = out.view.numbers[0];
  parsed.replaced = out.view.replaced;
  parsed.without_group = out.without_group;
  parsed.without_number = out.without_number;
  EXPECT_EQ(out.view.bytes, out.view.text.size());
  return parsed;
}

TEST(CsvParser, WhatIsWrongIsSaid) {
  const struct {
    std::string record, problem;
  } rows[] = {
      {"x\n", "the record has 1 field, it must have 4 as the header"},
      {"a,b,c,1,", "the record has 5 fields, it must have 4 as the header"},
      {" \n", "the record has 1 field, it must have 4 as the header"},
      {"a,\"b,c,1\n", "the field \"text\" begins with a quote that is never closed"},
      {"a,b,c,1,2,\"", "field 6 begins with a quote that is never closed"},
      {"\"a\"x,b,c,1",
       "the field \"id\" continues after its closing quote; a quote inside quotes is written \"\""},
  };
  for (const auto& row : rows) {
    const ParsedRecord parsed = parse_record(row.record);
    EXPECT_EQ(parsed.outcome, Outcome::kProblem) << row.record;
    EXPECT_EQ(parsed.problem, row.problem);
  }
}

TEST(CsvParser, EmptyLinesAreNoDocuments) {
  for (const std::string record : {"", "\n", "\r\n", "\r"})
    EXPECT_EQ(parse_record(record).outcome, Outcome::kBlank);
  EXPECT_EQ(parse_record(",,,").outcome, Outcome::kDocument);
}

TEST(CsvParser, TextsAndIds) {
  const ParsedRecord plain = parse_record("7,one two,g,-2.5\r\n");
  EXPECT_EQ(plain.text, "one two");
  EXPECT_EQ(plain.id, "\"7\"");
  EXPECT_EQ(plain.group, "g");
  EXPECT_EQ(plain.number.str(), "-2.5");
  EXPECT_FALSE(plain.replaced || plain.without_group || plain.without_number);

  const ParsedRecord quoted = parse_record("\"a\"\"b\",\"one \"\"two\"\",\n3\",\"g\"\"h\",\"1e3\"");
  EXPECT_EQ(quoted.text, "one \"two\",\n3");
  EXPECT_EQ(quoted.id, "\"a\\\"b\"");
  EXPECT_EQ(quoted.group, "g\"h");
  EXPECT_EQ(quoted.number.str(), "1000");

  const ParsedRecord odd = parse_record("\xff,\"\"\"\xff\",,");
  EXPECT_EQ(odd.text, "\"\xEF\xBF\xBD");
  EXPECT_TRUE(odd.replaced);
  EXPECT_EQ(odd.id, "\"\xEF\xBF\xBD\"");
}

// Two ids that differ only in invalid text would become one.
TEST(CsvParser, IdsOfAnIndexAreValidText) {
  CsvColumns known = columns();
  known.fields = {1};
  known.attributes = {false};
  CsvParser parser(known);
  ParsedLine out;
  for (const std::string record : {"\xff,x,,", "\"\"\"\xfe\",x,,"}) {
    EXPECT_EQ(parser.parse(record, out), Outcome::kProblem);
    EXPECT_EQ(out.problem, "the id in the field \"id\" " + std::string(kDoubtfulId));
  }
  for (const std::string record : {"\xEF\xBF\xBD,x,,", "a,\xff,,", "\xEF\xBF\xBD,\xff,,"})
    EXPECT_EQ(parser.parse(record, out), Outcome::kDocument) << out.problem;
  EXPECT_TRUE(parse_record("\xff,x,,").replaced);
}

TEST(CsvParser, EmptyFieldsAreNone) {
  const ParsedRecord parsed = parse_record(",,\"\",");
  EXPECT_EQ(parsed.text, "");
  EXPECT_EQ(parsed.id, "");
  EXPECT_TRUE(parsed.without_group);
  EXPECT_TRUE(parsed.without_number);
}

TEST(CsvParser, Numbers) {
  const auto number = [](const std::string& text) {
    return parse_record("a,b,c," + text).number.str();
  };
  EXPECT_EQ(number("9007199254740993"), "9007199254740993");
  EXPECT_EQ(number("18446744073709551615"), "18446744073709551615");
  EXPECT_EQ(number(" 12 "), "12");
  EXPECT_EQ(number("-0.5e-3"), "-0.0005");
  EXPECT_EQ(number("1e999"), "1e999");
  EXPECT_EQ(number("-1e999999"), "-infinite");
  for (const std::string text : {"", " ", "x", "1x", "1 2", "0x10", "inf", "nan", "--1"})
    EXPECT_EQ(number(text), "none") << text;
}

TEST(CsvParser, Extents) {
  const CsvColumns known = columns();
  const CsvParser parser(known);
  const std::string bytes = "a,\"b\n\nc\",d,1\nnext\n";
  const RecordParser::Extent extent = parser.extent(bytes);
  EXPECT_EQ(extent.length, 13u);
  EXPECT_EQ(extent.lines, 3u);
  EXPECT_TRUE(extent.ends);
  const RecordParser::Extent open = parser.extent("a,\"b\n\n");
  EXPECT_EQ(open.length, 6u);
  EXPECT_FALSE(open.ends);
}

}  // namespace
}  // namespace benzer
