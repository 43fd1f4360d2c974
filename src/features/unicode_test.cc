#include "features/unicode.h"

#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <unicode/unorm2.h>

namespace benzer::internal {
namespace {

// Returns what ICU alone makes of the text.
std::u16string icu(const std::u16string& text) {
  UErrorCode status = U_ZERO_ERROR;
  std::u16string out(20 * text.size() + 20, u'\0');
  const std::int32_t size = unorm2_normalize(unorm2_getNFKCCasefoldInstance(&status), text.data(),
                                             static_cast<std::int32_t>(text.size()), out.data(),
                                             static_cast<std::int32_t>(out.size()), &status);
  EXPECT_TRUE(U_SUCCESS(status));
  out.resize(static_cast<std::size_t>(size));
  return out;
}

TEST(CharClass, ByCategoryAndScript) {
  struct Case {
    char32_t c;
    CharClass expected;
  };
  const Case cases[] = {
      {U'a', CharClass::kWord},      {U'7', CharClass::kWord},   {U'_', CharClass::kOther},
      {U' ', CharClass::kOther},     {0x00E9, CharClass::kWord}, {0x0301, CharClass::kMark},
      {0x20E3, CharClass::kMark},    {0x4E00, CharClass::kCut},  {0x3007, CharClass::kCut},
      {0x3005, CharClass::kCut},     {0x30FC, CharClass::kCut},  {0x3042, CharClass::kCut},
      {0xFF71, CharClass::kCut},     {0x3105, CharClass::kCut},  {0xA000, CharClass::kCut},
      {0x0E01, CharClass::kCut},     {0x0E50, CharClass::kWord}, {0x0E31, CharClass::kMark},
      {0x0EA5, CharClass::kCut},     {0x1780, CharClass::kCut},  {0x1000, CharClass::kCut},
      {0x102B, CharClass::kMark},    {0xAC00, CharClass::kWord}, {0x1100, CharClass::kWord},
      {0x0F40, CharClass::kWord},    {0x0915, CharClass::kWord}, {0x093E, CharClass::kMark},
      {0xA700, CharClass::kOther},   {0x2160, CharClass::kWord}, {0x00B2, CharClass::kWord},
      {0x1F600, CharClass::kOther},  {0x20000, CharClass::kCut}, {0xFFFD, CharClass::kOther},
      {0x10FFFF, CharClass::kOther}, {0x30001, CharClass::kCut}, {0x3021, CharClass::kCut},
  };
  for (const Case& c : cases)
    EXPECT_EQ(char_class(c.c), c.expected) << std::hex << std::uint32_t{c.c};
}

TEST(NextCodePoint, ReplacesMaximalSubparts) {
  struct Case {
    std::string bytes;
    std::u32string expected;
    std::uint64_t replaced;
  };
  // The fourth to sixth are the examples of the Unicode Standard, tables 3-8 to 3-11.
  const Case cases[] = {
      {"", U"", 0},
      {"a\x7f", U"a\x7f", 0},
      {"\u00e9\u6f22\U0001f600\U0010ffff", U"\u00e9\u6f22\U0001f600\U0010ffff", 0},
      {"\xc0\xaf\xe0\x80\xbf\xf0\x81\x82\x41", U"\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffdA",
       8},
      {"\xed\xa0\x80\xed\xbf\xbf\xed\xaf\x41", U"\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffdA",
       8},
      {"\xe1\x80\xe2\xf0\x91\x92\xf1\xbf\x41", U"\ufffd\ufffd\ufffd\ufffdA", 4},
      {"\xf4\x90\x80\x80", U"\ufffd\ufffd\ufffd\ufffd", 4},
      {"\xf5\xff\x80", U"\ufffd\ufffd\ufffd", 3},
      {"\xe6\xbc", U"\ufffd", 1},
      {"\xc3", U"\ufffd", 1},
  };
  for (const Case& c : cases) {
    std::u32string found;
    std::uint64_t replaced = 0;
    for (std::size_t at = 0; at < c.bytes.size();) {
      found += next_code_point(c.bytes, at, replaced);
    }
    EXPECT_EQ(found, c.expected);
    EXPECT_EQ(replaced, c.replaced);
  }
}

TEST(NfkcCasefold, ManyMarksInARowAreIcusToo) {
  std::mt19937_64 random(5);
  const std::u32string kinds =
      U"\u0301\u0323\u0315\u0316\u0345\u0344\u0f73\u3099\u05b0\u064b\u094d\u0e48\u200d\u034f\u1161"
      U"\u11a8\u09be";
  for (int round = 0; round < 300; ++round) {
    std::u16string text = u"x\u00c9";
    const std::size_t size = 60 + random() % 200;
    for (std::size_t i = 0; i < size; ++i) {
      const bool starter = random() % 60 == 0;
      append_utf16(starter ? U"A\u1100\u03b1\u304b"[random() % 4] : kinds[random() % kinds.size()],
                   text);
    }
    EXPECT_EQ(nfkc_casefold(text), icu(text));
  }
}

TEST(NfkcCasefold, HostileMarksDoNotTakeQuadraticTime) {
  // ICU alone would need a minute for these.
  std::u16string text = u"a";
  for (int i = 0; i < 150000; ++i) text += u"\u0301\u0323";
  EXPECT_EQ(nfkc_casefold(text).size(), text.size() - 1);  // the first two become U+1EA1
}

TEST(CodePoints, ThreadsMayMakeTheSameBlocks) {
  const CodePoints table;
  std::vector<std::thread> threads;
  std::vector<std::uint64_t> sums(4);
  for (std::uint64_t& sum : sums) {
    threads.emplace_back([&table, &sum] {
      for (char32_t c = 0; c < 0x3000; ++c) sum += table.block(c).entries[c & 0xFF].bytes;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::uint64_t sum : sums) EXPECT_EQ(sum, sums[0]);
}

}  // namespace
}  // namespace benzer::internal
