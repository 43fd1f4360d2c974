#include "base/json_text.h"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace benzer {
namespace {

using std::string_literals::operator""s;

TEST(JsonText, EscapesWhatJsonDemandsAndNothingElse) {
  EXPECT_EQ(json_string(""), "\"\"");
  EXPECT_EQ(json_string("a \"b\" \\ /"), R"("a \"b\" \\ /")");
  EXPECT_EQ(json_string("\b\f\n\r\t"), R"("\b\f\n\r\t")");
  EXPECT_EQ(json_string("\0\x01\x1f\x7f"s), "\"\\u0000\\u0001\\u001f\x7f\"");
  EXPECT_EQ(json_string("grüße 漢字 😀"), "\"grüße 漢字 😀\"");
}

TEST(JsonText, OneReplacementPerMaximalSubpart) {
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

RC_GTEST_PROP(JsonText, ReplacingTwiceChangesNothingMore, (const std::string& bytes)) {
  std::string once, twice;
  append_valid_utf8(once, bytes);
  RC_ASSERT(append_valid_utf8(twice, once) == 0u);
  RC_ASSERT(once == twice);
}

TEST(JsonText, NumbersAreShortestAndRoundTrip) {
  EXPECT_EQ(json_number(1), "1");
  EXPECT_EQ(json_number(0.1), "0.1");
  EXPECT_EQ(json_number(2.0 / 3), "0.6666666666666666");
  EXPECT_EQ(json_number(std::numeric_limits<double>::quiet_NaN()), "null");
  EXPECT_EQ(json_number(std::numeric_limits<double>::infinity()), "null");
}

RC_GTEST_PROP(JsonText, NumbersReadBackAsTheSame, (double value)) {
  RC_PRE(std::isfinite(value));
  RC_ASSERT(std::strtod(json_number(value).c_str(), nullptr) == value);
}

}  // namespace
}  // namespace benzer
