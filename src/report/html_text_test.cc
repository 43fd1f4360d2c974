#include "report/html_text.h"

#include <string>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "benzer/internal/json.h"
#include "benzer/internal/text.h"

namespace benzer::report {
namespace {

TEST(HtmlText, MarkupIsText) {
  EXPECT_EQ(html_text("</script><img src=\"x\" onerror='y'>&amp;"),
            "&lt;/script&gt;&lt;img src=&quot;x&quot; onerror=&#39;y&#39;&gt;&amp;amp;");
}

TEST(HtmlText, ControlCharactersAreVisible) {
  EXPECT_EQ(html_text(std::string("a\0b\x1b\x7f", 5)), "a\u2400b\u241b\u2421");
  EXPECT_EQ(html_text("a\r\n\tb"), "a\u240d\u240a\u2409b");
  EXPECT_EQ(html_text("a\r\n\tb\rc", Lines::kKept), "a\n\tb\u240dc");
  EXPECT_EQ(html_text("\u0085\u009f"), "&lt;U+0085&gt;&lt;U+009F&gt;");
}

TEST(HtmlText, WhatTurnsOrHidesTextIsVisible) {
  EXPECT_EQ(html_text("a\u202eb\u2066\u200f"), "a&lt;U+202E&gt;b&lt;U+2066&gt;&lt;U+200F&gt;");
  EXPECT_EQ(
      html_text("\u00ad\u200b\ufeff\u2028\U000e0041\ufffe"),
      "&lt;U+00AD&gt;&lt;U+200B&gt;&lt;U+FEFF&gt;&lt;U+2028&gt;&lt;U+E0041&gt;&lt;U+FFFE&gt;");
}

TEST(HtmlText, LettersOfAllScriptsStay) {
  for (const std::string text : {"\u05e9\u05dc\u05d5\u05dd", "\u6f22\u5b57", "\u0e17\u0e35\u0e48",
                                 "\U0001f468\u200d\U0001f469", "\u2764\ufe0f",
                                 "\u0645\u06cc\u200c\u062e", "e\u0301", "\U00020000", "\U000e0100"})
    EXPECT_EQ(html_text(text), text);
}

TEST(HtmlText, InvalidBytesAreReplacedByTheirMaximalSubparts) {
  EXPECT_EQ(html_text("a\xff\xe2\x82<"), "a\ufffd\ufffd&lt;");
  EXPECT_EQ(html_text("\xed\xa0\x80"), "\ufffd\ufffd\ufffd");
}

TEST(HtmlText, NoBytesBecomeMarkup) {
  EXPECT_TRUE(rc::check([](const std::string& text) {
    for (const Lines lines : {Lines::kVisible, Lines::kKept}) {
      const std::string html = html_text(text, lines);
      RC_ASSERT(html.find_first_of("<>\"'") == std::string::npos);
      for (const char c : html)
        RC_ASSERT(static_cast<unsigned char>(c) >= 0x20 ||
                  (lines == Lines::kKept && (c == '\n' || c == '\t')));
      std::string valid;
      RC_ASSERT(append_valid_utf8(valid, html) == 0U);
    }
  }));
}

TEST(HtmlText, IdsWithoutTheirQuotes) {
  EXPECT_EQ(shown_id("\"a-17\""), "a-17");
  EXPECT_EQ(shown_id("17"), "17");
  EXPECT_EQ(shown_id("\"\""), "\"\"");
  EXPECT_EQ(shown_id("\"a\\n\""), "\"a\\n\"");
  EXPECT_EQ(shown_id("\"a 17\""), "a 17");
  for (const std::string id : {" ", "a ", " a", "\u00a0", "a\u3000", "\u2009a", "\u200d", "\u2800"})
    EXPECT_EQ(shown_id('"' + id + '"'), '"' + id + '"') << id;
}

TEST(HtmlText, LongNamesKeepBothEnds) {
  EXPECT_EQ(shortened("abcdefghij", 10), "abcdefghij");
  EXPECT_EQ(shortened("abcdefghijk", 10), "abcd\u2026ghijk");
  EXPECT_EQ(shortened("\u6f22\u5b57\u6f22\u5b57\u6f22", 3), "\u6f22\u2026\u6f22");
  EXPECT_EQ(shortened("\xff", 10), "\ufffd");
}

TEST(HtmlText, Numbers) {
  EXPECT_EQ(with_separators(0), "0");
  EXPECT_EQ(with_separators(1234567), "1,234,567");
  EXPECT_EQ(with_separators(~std::uint64_t{0}), "18,446,744,073,709,551,615");
  EXPECT_EQ(counted(1, "pair", "pairs"), "1 pair");
  EXPECT_EQ(shown_bytes(1), "1 byte");
  EXPECT_EQ(shown_bytes(1234), "1.2 kB");
  EXPECT_EQ(shown_bytes(356318451), "356 MB");
  EXPECT_EQ(shown_bytes(999999), "1.0 MB");
  EXPECT_EQ(shown_share(0, 10), "0 %");
  EXPECT_EQ(shown_share(1, 100000), "< 0.1 %");
  EXPECT_EQ(shown_share(99999, 100000), "> 99.9 %");
  EXPECT_EQ(shown_share(7635, 100000), "7.6 %");
  EXPECT_EQ(shown_score(0.8), "0.8");
  EXPECT_EQ(shown_score(0.79999), "0.7999");
  EXPECT_EQ(shown_score(0.99999), "0.9999");
  EXPECT_EQ(shown_score(0.00001), "< 0.0001");
  EXPECT_EQ(shown_score(1), "1.0");
}

TEST(HtmlText, ShellWords) {
  EXPECT_EQ(shell_word("docs/a-1.jsonl.zst"), "docs/a-1.jsonl.zst");
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_EQ(shell_word("it's $(x)"), "'it'\\''s $(x)'");
  EXPECT_EQ(shell_word(""), "''");
}

}  // namespace
}  // namespace benzer::report
