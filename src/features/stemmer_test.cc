// Tests stemming: what is stemmed, how it is remembered, and that its rules have a mark.
#include "features/stemmer.h"

#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benzer/config.h"

#include "base/error_test_util.h"
#include "features/rules_mark.h"
#include "features/stop_words.h"

namespace benzer::internal {
namespace {

// The languages of Snowball 2.2.
const std::vector<std::string> kLanguages = {
    "ar", "ca", "da", "de", "el", "en", "es", "eu", "fi", "fr", "ga", "hi", "hu", "hy",
    "id", "it", "lt", "ne", "nl", "no", "pt", "ro", "ru", "sr", "sv", "ta", "tr", "yi"};

TEST(Stemmer, ReducesWordsOfEveryLanguage) {
  struct Case {
    const char *language, *word, *stem;
  };
  constexpr Case kCases[] = {
      {"ar", "المكتبات", "مكتب"},        {"ca", "drets", "dret"},
      {"da", "husene", "hus"},           {"de", "häusern", "haus"},
      {"el", "δικαιωματων", "δικαιωμ"},  {"en", "connections", "connect"},
      {"es", "corriendo", "corr"},       {"eu", "etxeetan", "etxe"},
      {"fi", "taloissa", "talo"},        {"fr", "chevaux", "cheval"},
      {"ga", "fhreagair", "freagair"},   {"hi", "लड़कियों", "लड़क"},
      {"hu", "házakban", "ház"},         {"hy", "իրավունքների", "իրավ"},
      {"id", "perlindungan", "lindung"}, {"it", "diritti", "diritt"},
      {"lt", "žmogaus", "žmog"},         {"ne", "देशहरू", "देश"},
      {"nl", "huizen", "huiz"},          {"no", "husene", "hus"},
      {"pt", "direitos", "direit"},      {"ro", "drepturile", "dreptur"},
      {"ru", "домами", "дом"},           {"sr", "правима", "prav"},
      {"sv", "flickorna", "flick"},      {"ta", "உரிமைகள்", "உரிமை"},
      {"tr", "evlerimizden", "ev"},      {"yi", "מענטשן", "מענטש"},
  };
  std::vector<std::string> tested;
  for (const Case& c : kCases) {
    EXPECT_EQ(Stemmer(c.language).stem(c.word), c.stem) << c.language;
    tested.emplace_back(c.language);
  }
  EXPECT_EQ(tested, kLanguages);
}

TEST(Stemmer, LeavesLongWordsAndNeverAnswersWithNothing) {
  Stemmer stemmer("en");
  const std::string longest(kMostStemBytes - 1, 'a');
  EXPECT_EQ(stemmer.stem(longest + "s"), longest);
  EXPECT_EQ(stemmer.stem(longest + "as"), longest + "as");
  for (const std::string& language : kLanguages) {
    Stemmer other(language);
    for (const char* word : {"s", "'", "e", "ing", "х", "ого", "์", "ال", "1", "\U00010400", "ка"})
      EXPECT_FALSE(other.stem(word).empty()) << language << ' ' << word;
  }
}

TEST(Stemmer, NamesTheLanguagesThatItHas) {
  const std::string sentence = error_sentence(
      ErrorCode::kInvalidArgument, [] { check_stem_language("xx", "text:word5+stem:xx"); });
  EXPECT_EQ(
      sentence,
      "features \"text:word5+stem:xx\" stem the language \"xx\", which Snowball does not have; "
      "it has ar, ca, da, de, el, en, es, eu, fi, fr, ga, hi, hu, hy, id, it, lt, ne, nl, no, "
      "pt, ro, ru, sr, sv, ta, tr, yi");
  // libstemmer knows these names, too. One language has one spelling.
  for (const char* other : {"english", "eng", "porter", "EN", ""})
    EXPECT_THROW(Stemmer{other}, Error) << other;
  EXPECT_THROW(FeatureSpec::parse("text:char5+stem:en"), Error);
}

TEST(Stemmer, EveryLanguageHasStopWords) {
  for (const std::string& language : kLanguages) EXPECT_TRUE(has_stop_words(language)) << language;
}

// The mark stands for the rules only if it is a checksum of words that the rules change.
TEST(StemMark, IsOneOfEachLanguage) {
  std::set<std::string> marks;
  for (const std::string& language : kLanguages) {
    const std::string mark = stem_mark(language);
    EXPECT_EQ(mark.size(), 8U) << language;
    EXPECT_EQ(stem_mark(language), mark);
    marks.insert(mark);
  }
  EXPECT_EQ(marks.size(), kLanguages.size());
  EXPECT_EQ(stem_mark("xx"), "");
}

TEST(StemMark, IsWrittenAndCheckedInASpelling) {
  const FeatureSpec spec = FeatureSpec::parse("text:word3+stem:en");
  const std::string marked = "text:word3+stem:en@" + stem_mark("en");
  EXPECT_EQ(spec.str(), marked);
  EXPECT_EQ(FeatureSpec::parse(marked), spec);
  EXPECT_THAT(error_sentence(ErrorCode::kInvalidArgument,
                             [] { FeatureSpec::parse("text:word3+stem:en@00000000"); }),
              testing::HasSubstr("are of version \"00000000\" of Snowball's rules for en"));
}

TEST(StemHashes, AreTheHashesOfStems) {
  const HashKeys keys(7);
  StemHashes stems("en", keys);
  Stemmer stemmer("en");
  const std::string long_word(100, 'b');
  for (int turn = 0; turn < 2; ++turn) {
    for (const std::string& word : {std::string("connections"), std::string("connected"),
                                    long_word + "s", std::string(55, 'c'), std::string(56, 'c'),
                                    std::string("easily"), std::string("houses")}) {
      const std::uint64_t stem = hash_unit(stemmer.stem(word), keys);
      EXPECT_EQ(stems.of(word, hash_unit(word, keys)), stem) << word;
      // A text may have different words with one hash: neither gets the stem of the other.
      EXPECT_EQ(stems.of(word, 12345), stem) << word;
    }
  }
}

}  // namespace
}  // namespace benzer::internal
