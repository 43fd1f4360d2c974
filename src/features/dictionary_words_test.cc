// Tests which words ICU's dictionaries find, and that pieces of a text change nothing.
#include "features/dictionary_words.h"

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benzer/features.h"

#include "base/error_test_util.h"

namespace benzer::internal {
namespace {

using Words = std::vector<std::string>;

Words words_of(std::string_view spec, std::string_view text) {
  return FeatureExtractor(FeatureSpec::parse(spec)).trace(text).words;
}

TEST(DictionaryWords, AreThoseOfTheLanguage) {
  struct Case {
    const char* text;
    Words words;
  };
  const Case cases[] = {
      {"ภาษาไทย", {"ภาษา", "ไทย"}},
      {"ພາສາລາວ", {"ພາສາ", "ລາວ"}},
      {"ភាសាខ្មែរជាភាសា", {"ភាសាខ្មែរ", "ជា", "ភាសា"}},
      {"မြန်မာဘာသာစကား", {"မြန်မာဘာသာ", "စကား"}},
      {"我们都是来自五湖四海", {"我们", "都是", "来自", "五湖四海"}},
      {"日本語のテキスト", {"日本語", "の", "テキスト"}},
      {"東京タワーに登る", {"東京タワー", "に", "登る"}},
      // Half width becomes full width before the dictionary sees it.
      {"ｺﾝﾋﾟｭｰﾀｰを使う", {"コンピューター", "を", "使う"}},
      // Other scripts, digits and punctuation end a run.
      {"用Python3写程序", {"用", "python3", "写", "程序"}},
      {"คน๒๕๖๗คน", {"คน", "๒๕๖๗", "คน"}},
      {"中文。中文", {"中文", "中文"}},
      // Scripts without a dictionary, and those with spaces, are as in text:wordN.
      {"ㄅㄆ ꆈꌠ", {"ㄅ", "ㄆ", "ꆈ", "ꌠ"}},
      {"한국어는 띄어쓰기 one two", {"한국어는", "띄어쓰기", "one", "two"}},
      {"", {}},
  };
  for (const Case& c : cases) EXPECT_EQ(words_of("text:words1", c.text), c.words) << c.text;
}

// NFKC takes SARA AM apart. A dictionary that sees it so does not find the words that have it.
TEST(DictionaryWords, HaveVowelsThatNormalisationTakesApart) {
  EXPECT_EQ(words_of("text:words1", "การทำงานและน้ำใจ"),
            (Words{"การ", "ท\u0e4d\u0e32งาน", "และ", "น\u0e49\u0e4d\u0e32ใจ"}));
  EXPECT_EQ(words_of("text:words1", "ຄຳສັ່ງ"), (Words{"ຄ\u0ecd\u0eb2ສັ່ງ"}));
}

TEST(DictionaryWords, AreMadeOfWholeUnits) {
  std::mt19937_64 random(31);
  const std::vector<std::string> parts = {
      "ภาษา",       "ทำ",         "น้ำ",     "\u0e4d", "\u0e32", "์",   "ก\u0301", "我们",
      "日本",       "語",         "テ",     "ー",     "の",     "ສັ່",  "\u0ecd",  "\u0eb2",
      "မြန်",        "ខ្មែ",        "\u17d2", "a",      " ",      "。", "ꆈ",      "\u0301",
      "\U00020000", "\U0001b000", "々",     "〇",     "9",      "ｶﾞ", "\xff"};
  for (int i = 0; i < 2000; ++i) {
    std::string text;
    for (std::size_t n = random() % 20; n > 0; --n) text += parts[random() % parts.size()];
    const Words units = words_of("text:word1", text);
    std::size_t unit = 0;
    for (const std::string& word : words_of("text:words1", text)) {
      std::string joined;
      while (joined.size() < word.size() && unit < units.size()) joined += units[unit++];
      ASSERT_EQ(joined, word) << text;
    }
    ASSERT_EQ(unit, units.size()) << text;
  }
}

TEST(DictionaryCutter, ReturnsWhereWordsEnd) {
  DictionaryCutter cutter;
  EXPECT_EQ(cutter.cut("我们都是", {3, 6, 9, 12}), (std::vector<std::size_t>{2, 4}));
  EXPECT_EQ(cutter.cut("我", {3}), (std::vector<std::size_t>{1}));
  // A word does not end within a unit: here all is one.
  EXPECT_EQ(cutter.cut("我们都是", {12}), (std::vector<std::size_t>{1}));
  EXPECT_EQ(cutter.cut("我们都是", {9, 12}), (std::vector<std::size_t>{2}));
}

// ICU takes a dictionary by the script of the first character, and the signs that scripts share
// have none. This is the first text of a process where each test is run by itself.
TEST(DictionaryCutter, FindsTheSameWordsWhateverItCutBefore) {
  const auto units = [](std::string_view text) {
    std::vector<std::size_t> ends;
    for (std::size_t i = 3; i <= text.size(); i += 3) ends.push_back(i);
    return ends;
  };
  const std::string_view text = "ーなぱなぱカプぱな";  // all of three bytes
  const std::vector<std::size_t> words = DictionaryCutter().cut(text, units(text));
  EXPECT_EQ(words.front(), 1U);
  for (const std::string_view before :
       {"ーな", "〱〱", "ありがとう", "ภาษาไทย", "我们都是", "ꆈꌠ"}) {
    DictionaryCutter cutter;
    cutter.cut(before, units(before));
    EXPECT_EQ(cutter.cut(text, units(text)), words) << before;
  }
}

// The definition cuts a run before the unit that would make it longer than kMostRunBytes.
TEST(DictionaryWords, OfALongTextWithoutSpacesAreCutAtALimit) {
  const std::string word = "我们";
  std::string text;
  while (text.size() + word.size() <= kMostRunBytes + 3000) text += word;
  const Words words = words_of("text:words1", text);
  std::size_t bytes = 0;
  bool ends_at_limit = false;
  for (const std::string& found : words) {
    bytes += found.size();
    ends_at_limit |= bytes == kMostRunBytes / 3 * 3;
  }
  EXPECT_EQ(bytes, text.size());
  EXPECT_TRUE(ends_at_limit);
}

TEST(DictionaryMark, IsWrittenAndCheckedInASpelling) {
  const FeatureSpec spec = FeatureSpec::parse("text:words3+bag");
  EXPECT_EQ(spec.str(), "text:words3@" + dictionary_mark() + "+bag");
  EXPECT_EQ(FeatureSpec::parse(spec.str()), spec);
  EXPECT_THAT(
      error_sentence(ErrorCode::kInvalidArgument, [] { FeatureSpec::parse("text:words3@icu9"); }),
      testing::HasSubstr("are of version \"icu9\" of ICU's dictionaries of words"));
  EXPECT_THROW(FeatureSpec::parse("text:words3@"), Error);
  EXPECT_THROW(FeatureSpec::parse("text:word3@icu72"), Error);
}

}  // namespace
}  // namespace benzer::internal
