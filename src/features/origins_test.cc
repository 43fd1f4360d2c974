// Tests which bytes of a text a shingle is traced back to.
#include "features/origins.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "benzer/features.h"

#include "features/unicode.h"

namespace benzer {
namespace {

using Strings = std::vector<std::string>;

// Returns the bytes of the text that each shingle comes from.
Strings covered(std::string_view spec, std::string_view text) {
  Strings out;
  for (const auto& shingle : FeatureExtractor(FeatureSpec::parse(spec)).trace(text).shingles)
    out.emplace_back(text.substr(shingle.begin, shingle.end - shingle.begin));
  return out;
}

TEST(Origins, OfWordsAndTheirShingles) {
  EXPECT_EQ(covered("text:word1", "  The QUICK, brown!"), (Strings{"The", "QUICK", "brown"}));
  EXPECT_EQ(covered("text:word2", "(The QUICK, brown!)"), (Strings{"The QUICK", "QUICK, brown"}));
  EXPECT_EQ(covered("text:word5", "-- The QUICK, brown --"), (Strings{"The QUICK, brown"}));
  EXPECT_EQ(covered("text:word2+bag", "a a a"), (Strings{"a a", "a a"}));
  EXPECT_TRUE(covered("text:word5", "... !").empty());
}

TEST(Origins, DroppedStopWordsLieInsideShingles) {
  EXPECT_EQ(covered("text:word2+stop:en", "The fox and the hound, of course"),
            (Strings{"fox and the hound", "hound, of course"}));
}

TEST(Origins, OfCodePoints) {
  EXPECT_EQ(covered("text:char3", "Ab,  Cd"), (Strings{"Ab,  ", "b,  C", ",  Cd"}));
  EXPECT_EQ(covered("text:char5", "(a-b)"), (Strings{"a-b"}));
  EXPECT_EQ(covered("text:char2", "na\u00efve"), (Strings{"na", "a\u00ef", "\u00efv", "ve"}));
}

TEST(Origins, OfTextsThatNormalisationChanges) {
  // A ligature, full width, a letter with a combining mark, a sharp s, a soft hyphen.
  EXPECT_EQ(covered("text:word1", "\ufb01x \uff21\uff22 e\u0301l\u00e9 Stra\u00dfe co\u00adop"),
            (Strings{"\ufb01x", "\uff21\uff22", "e\u0301l\u00e9", "Stra\u00dfe", "co\u00adop"}));
  EXPECT_EQ(covered("text:char1", "\ufb01x"), (Strings{"\ufb01", "\ufb01", "x"}));
  // One character that becomes two words (a half) and one that becomes four (an Arabic greeting).
  EXPECT_EQ(covered("text:word1", "a\u00bdb"), (Strings{"a\u00bd", "\u00bdb"}));
  EXPECT_EQ(covered("text:word4", "x \ufdfa"), (Strings{"x \ufdfa", "\ufdfa"}));
  EXPECT_EQ(covered("text:char1", "\ufdfa").front(), "\ufdfa");
}

TEST(Origins, OfScriptsWithoutSpaces) {
  EXPECT_EQ(covered("text:word1", "\u6f22\u5b57abc\u3002"), (Strings{"\u6f22", "\u5b57", "abc"}));
  EXPECT_EQ(covered("text:word2", "\u6f22\u5b57\u3001\u8a9e"),
            (Strings{"\u6f22\u5b57", "\u5b57\u3001\u8a9e"}));
  // Thai vowels above and below belong to their consonant; half-width voiced kana becomes one.
  EXPECT_EQ(covered("text:word1", "\u0e17\u0e35\u0e48\u0e19"),
            (Strings{"\u0e17\u0e35\u0e48", "\u0e19"}));
  EXPECT_EQ(covered("text:word1", "\uff76\uff9e\uff76"), (Strings{"\uff76\uff9e", "\uff76"}));
  EXPECT_EQ(covered("text:word1", "\u1112\u1161\u11ab \ud55c"),
            (Strings{"\u1112\u1161\u11ab", "\ud55c"}));
}

TEST(Origins, NeitherEmojiNorInvalidBytesShiftAnything) {
  EXPECT_EQ(covered("text:word1", "a \U0001f468\u200d\U0001f469 b"), (Strings{"a", "b"}));
  EXPECT_EQ(covered("text:word1", "\xff\xe2\x82 one\xf0\x9f\x98two \xed\xa0\x80 three"),
            (Strings{"one", "two", "three"}));
}

TEST(Origins, OfTheByteWiseKinds) {
  EXPECT_EQ(covered("truth:w1", "It's. the, fo.x"), (Strings{"It's", "fo.x"}));
  EXPECT_EQ(covered("truth:w3", "A-b c\u00e9 D"), (Strings{"A-b c\u00e9", "b c\u00e9 D"}));
  EXPECT_EQ(covered("truth:c5", "ab\u00e9--cd"), (Strings{"ab\u00e9--c", "b\u00e9--cd"}));
  EXPECT_EQ(covered("truth:c5", "\x80 ab"), (Strings{"\x80 ab"}));
}

TEST(Origins, OneForEveryCodePointOfTheNormalisedText) {
  EXPECT_TRUE(rc::check([](const std::vector<std::uint32_t>& codes) {
    std::string text;
    std::u16string utf16;
    for (const std::uint32_t code : codes) {
      // Half of them are marks and letters that may combine, the others any code points.
      const char32_t c = code % 2 ? 0x300 + code % 0x70 : code % 0x30000;
      if (c >= 0xD800 && c <= 0xDFFF) continue;
      internal::append_utf8(c, text);
      internal::append_utf16(c, utf16);
    }
    const auto origins = internal::origins_of_normalised(text);
    RC_ASSERT(origins.size() == internal::to_utf32(internal::nfkc_casefold(utf16)).size());
  }));
  std::string marks = "a";
  for (int i = 0; i < 1000; ++i) marks += i % 2 ? "\u0301" : "\u0323";
  for (const auto& origin : internal::origins_of_normalised(marks))
    EXPECT_EQ(origin, (internal::Origin{0, marks.size()}));
}

}  // namespace
}  // namespace benzer
