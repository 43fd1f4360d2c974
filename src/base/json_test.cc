#include "benzer/internal/json.h"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace benzer {
namespace {

using std::string_literals::operator""s;

TEST(Json, EscapesWhatJsonDemandsAndNothingElse) {
  EXPECT_EQ(json_string(""), "\"\"");
  EXPECT_EQ(json_string("a \"b\" \\ /"), R"("a \"b\" \\ /")");
  EXPECT_EQ(json_string("\b\f\n\r\t"), R"("\b\f\n\r\t")");
  EXPECT_EQ(json_string("\0\x01\x1f\x7f"s), "\"\\u0000\\u0001\\u001f\x7f\"");
  EXPECT_EQ(json_string("grüße 漢字 😀"), "\"grüße 漢字 😀\"");
}

// Bytes are looked at eight at a time, so each must be seen wherever it is among others.
TEST(Json, EscapesWhereverAByteIs) {
  const auto alone = [](unsigned byte) {
    std::string out = json_string(std::string(1, static_cast<char>(byte)));
    return out.substr(1, out.size() - 2);
  };
  for (unsigned byte = 0; byte < 256; ++byte)
    for (std::size_t before = 0; before < 18; ++before)
      for (const char* const around :
           {"a", "\x7F", " ", "#", "!", "[", "]", "\"", "\n", "\xC3\xA9"}) {
        std::string text, expected = "\"";
        const std::string other =
            around[1] == '\0' ? alone(static_cast<unsigned char>(around[0])) : around;
        for (std::size_t i = 0; i < before; ++i) {
          text += around;
          expected += other;
        }
        text += static_cast<char>(byte);
        expected += alone(byte);
        for (std::size_t i = 0; i < 9; ++i) {
          text += around;
          expected += other;
        }
        ASSERT_EQ(json_string(text), expected + "\"") << byte << " behind " << before;
      }
}

TEST(Json, OneReplacementPerMaximalSubpart) {
  const std::string r = "\xEF\xBF\xBD";
  const struct {
    std::string bytes, valid;
  } table[] = {
      {"\x80", r},
      {"a\xC3", "a" + r},
      {"\xC3(", r + "("},
      {"\xC0\x80", r + r},          // overlong: neither byte can begin anything
      {"\xE0\x80\x80", r + r + r},  // overlong of three
      {"\xE2\x82", r},              // cut off: one subpart
      {"\xE2\x82z", r + "z"},
      {"\xED\xA0\x80", r + r + r},  // a surrogate
      {"\xF0\x9F\x98", r},
      {"\xF0\x9F\x98\xF0\x9F\x98\x80", r + "😀"},
      {"\xF4\x90\x80\x80", r + r + r + r},  // beyond U+10FFFF
      {"\xF5\xFF", r + r},
      {"\xF0\x80\x80\x80", r + r + r + r},
      {"\xEF\xBF\xBD", r},  // valid already
  };
  for (const auto& row : table) {
    std::string out;
    append_valid_utf8(out, row.bytes);
    EXPECT_EQ(out, row.valid) << json_string(row.bytes);
    EXPECT_EQ(json_string(row.bytes), "\"" + row.valid + "\"");
  }
}

RC_GTEST_PROP(Json, ReplacingTwiceChangesNothingMore, (const std::string& bytes)) {
  std::string once, twice;
  append_valid_utf8(once, bytes);
  RC_ASSERT(append_valid_utf8(twice, once) == 0u);
  RC_ASSERT(once == twice);
}

TEST(Json, NumbersAreShortestAndRoundTrip) {
  EXPECT_EQ(json_number(1), "1.0");
  EXPECT_EQ(json_number(-0.0), "-0.0");
  EXPECT_EQ(json_number(100000), "1e+05");
  EXPECT_EQ(json_number(123456), "123456.0");
  EXPECT_EQ(json_number(1e300), "1e+300");
  EXPECT_EQ(json_number(0.1), "0.1");
  EXPECT_EQ(json_number(2.0 / 3), "0.6666666666666666");
  EXPECT_EQ(json_number(std::numeric_limits<double>::quiet_NaN()), "null");
  EXPECT_EQ(json_number(std::numeric_limits<double>::infinity()), "null");
}

RC_GTEST_PROP(Json, NumbersReadBackAsTheSame, (double value)) {
  RC_PRE(std::isfinite(value));
  RC_ASSERT(std::strtod(json_number(value).c_str(), nullptr) == value);
}

TEST(Json, ObjectsAndArraysNest) {
  EXPECT_EQ(JsonObject().str(), "{}");
  EXPECT_EQ(JsonArray().str(), "[]");
  JsonArray list;
  list.add(1).add(true).add(0.5).add("a").raw("null").add(JsonArray()).add(JsonObject());
  JsonObject object;
  object.add("list", list).add("\"", std::vector<std::string>{"x", "y"}).add("score", 1.0);
  object.add_or_null("none", "").add_or_null("some", "z").add("most", ~std::uint64_t{0});
  EXPECT_EQ(object.str(), R"({"list":[1,true,0.5,"a",null,[],{}],"\"":["x","y"],"score":1.0,)"
                          R"("none":null,"some":"z","most":18446744073709551615})");
}

}  // namespace
}  // namespace benzer
