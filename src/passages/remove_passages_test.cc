// Checks that whatever is removed stays somewhere, and that cuts end where parts end.
#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "benzer/error.h"
#include "benzer/features.h"
#include "benzer/passages.h"

#include "base/test_random.h"
#include "passages/passages_test_util.h"

namespace benzer {
namespace {

std::vector<std::string> removed_from(const std::vector<std::string>& texts,
                                      const PassageRemovalOptions& options) {
  MemoryCorpus corpus;
  for (const std::string& text : texts) corpus.add_text("", text);
  std::vector<std::string> out = texts;
  for (const DocumentCuts& document : remove_passages(corpus, options).documents)
    out[document.document] =
        document.dropped ? "(dropped)" : without_cuts(texts[document.document], document.cuts);
  return out;
}

PassageRemovalOptions removal_of(std::uint32_t min_words, CutAt at = CutAt::kWord) {
  PassageRemovalOptions options;
  options.min_words = min_words;
  options.at = at;
  return options;
}

TEST(RemovePassages, LeavesTheFirstPlace) {
  const std::vector<std::string> texts = {"one two three four five", "zero one two three four six",
                                          "one two three four"};
  const std::vector<std::string> expected = {"one two three four five", "zero six", ""};
  EXPECT_EQ(removed_from(texts, removal_of(4)), expected);
}

TEST(RemovePassages, LimitsOfMemoryAndThreadsChangeNothing) {
  TestRandom random(6);
  MemoryCorpus corpus;
  for (int d = 0; d < 300; ++d) {
    std::string text;
    for (int word = 0; word < 40; ++word) text += std::to_string(random.below(9)) + " ";
    corpus.add_text("", text);
  }
  const auto cuts = [&](int threads, std::uint64_t memory_limit) {
    PassageRemovalOptions options = removal_of(4);
    options.threads = threads;
    options.memory_limit = memory_limit;
    std::vector<std::tuple<std::uint32_t, std::uint64_t, std::uint64_t>> out;
    for (const DocumentCuts& document : remove_passages(corpus, options).documents)
      for (const PassageCut& cut : document.cuts)
        out.emplace_back(document.document, cut.begin, cut.end);
    return out;
  };
  const auto expected = cuts(1, 0);
  EXPECT_GT(expected.size(), 100U);
  for (const int threads : {0, 2})
    for (const std::uint64_t limit : {std::uint64_t{0}, std::uint64_t{64} << 20})
      EXPECT_EQ(cuts(threads, limit), expected) << threads << ' ' << limit;
}

TEST(RemovePassages, CutsWholeParts) {
  struct Case {
    CutAt at;
    const char *text, *expected;
  };
  const std::string first = "A b c d. E f g h. I j k l.";
  const Case cases[] = {
      {CutAt::kWord, "X a b c d. Y e f g h i j k l z.", "X . Y z."},
      {CutAt::kSentence, "X a b c d. E f g h. I j k l z.", "X a b c d. I j k l z."},
      {CutAt::kSentence, "E f g h. Then more of this.", "Then more of this."},
      {CutAt::kLine, "x a b c d\n  e f g h\n  i j k l z\n", "x a b c d\n  i j k l z\n"},
      {CutAt::kLine, "e f g h", ""},
      {CutAt::kParagraph, "own\n\na b c d\ne f g h\n \n\nown", "own\n\nown"},
      {CutAt::kParagraph, "own a b c d\ne f g h\n\nown", "own a b c d\ne f g h\n\nown"},
  };
  for (const Case& each : cases)
    EXPECT_EQ(removed_from({first, each.text}, removal_of(4, each.at))[1], each.expected)
        << name_of(each.at) << ": " << each.text;
}

// Some characters are several words or parts of two: ½ is 1 and 2, ㌫ is パーセント, the Thai ำ is
// written apart. They stay if a word of theirs does.
TEST(RemovePassages, CutsNoCharacterApart) {
  struct Case {
    std::vector<std::string> texts;
    const char* expected;
  };
  const Case cases[] = {
      {{"a b c 1 egg", "a b c ½ litre"}, "½ litre"},
      {{"2 a b c", "½ a b c"}, "½ "},
      {{"a b c ½", "x a b c ½ y"}, "x y"},
      {{"a b c صلى z", "y وسلم d e f", "a b c ﷺ d e f the end"}, "ﷺ the end"},
      {{"a b c d ½", "½ e f g h", "a b c d ½ e f g h end"}, "end"},
      {{"ก ข ค ง า", "ก ข ค ง ำ จ"}, "ำ จ"},
  };
  for (const Case& each : cases)
    EXPECT_EQ(removed_from(each.texts, removal_of(3)).back(), each.expected) << each.texts.back();
}

// What is left is made of whole characters of the text, each once and in order.
TEST(RemovePassages, NoTextGrows) {
  TestRandom random(11);
  const std::vector<std::string> characters = {"a",    "b",    "1",    "2", "½",  "ﷺ", "㌫", "صلى",
                                               "الله", "عليه", "وسلم", "ำ", "น้ำ", "า", "มา", "ຳ"};
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> texts(2 + random.below(4));
    for (std::string& text : texts)
      for (std::uint64_t left = random.below(40); left > 0; --left) {
        text += characters[random.below(characters.size())];
        if (random.below(4) != 0) text += ' ';
      }
    MemoryCorpus corpus;
    for (const std::string& text : texts) corpus.add_text("", text);
    for (const DocumentCuts& document :
         remove_passages(corpus, removal_of(1 + static_cast<std::uint32_t>(random.below(4))))
             .documents) {
      const std::string& text = texts[document.document];
      std::uint64_t end = 0;
      for (const PassageCut& cut : document.cuts) {
        ASSERT_LE(end, cut.begin) << text;
        ASSERT_LT(cut.begin, cut.end) << text;
        end = cut.end;
      }
      ASSERT_LE(end, text.size());
      ASSERT_LE(without_cuts(text, document.cuts).size(), text.size());
    }
  }
}

// A blank takes the place of a cut only where the words around it would become one.
TEST(RemovePassages, KeepsWordsApart) {
  struct Case {
    std::vector<std::string> texts;
    const char* expected;
  };
  const Case cases[] = {
      {{"円から消費税込みで", "定価は100円から消費税込みで200円まで"}, "定価は100 200円まで"},
      {{"ถึงราคา", "ตั้ง 100ถึงราคา200 บาท"}, "ตั้ง 100 200 บาท"},
      {{"東京都", "abc東京都def"}, "abc def"},
      {{"東京都", "我東京都人"}, "我人"},
      {{"東京都", "x 東京都7"}, "x 7"},
      {{"東京都", "½東京都3"}, "½ 3"},
      {{"a b c", "(a b c)"}, "()"},
      {{"東京都", "a\u200d東京都b"}, "a\u200d b"},  // U+200D ends no word
  };
  for (const Case& each : cases)
    EXPECT_EQ(removed_from(each.texts, removal_of(3)).back(), each.expected) << each.texts.back();
  PassageRemovalOptions options = removal_of(2);
  options.features = FeatureSpec::parse("text:words1");
  EXPECT_EQ(removed_from({"消費税 東京都", "我消費税東京都人"}, options).back(), "我 人");
}

// The words of what is left are those that are not cut, in any script.
TEST(RemovePassages, LeavesTheWordsThatAreNotCut) {
  TestRandom random(5);
  const FeatureExtractor extractor(FeatureSpec::parse("text:word1"));
  std::vector<Script> all = scripts();
  all.push_back({"Latin and Han", {"a", "b", "東", "京", "7", " ", "é", "。"}, ""});
  all.push_back({"Thai and digits", {"ก", "ข", "ำ", "า", "น้", "1", "x", " "}, ""});
  all.push_back({"marks",
                 {"a", "b", "e\u0301", "\u0301", "\u3099", "か", "ハ", " ", "\u200d", "\ufe0f",
                  "\u20e3", "=", "\u0338"},
                 ""});
  all.push_back({"Hangul and Jamo", {"가", "ᄀ", "ᅡ", "ᆨ", "나", "漢", " ", "1"}, ""});
  all.push_back({"Devanagari and digits", {"क", "\u094d", "ष", "ि", " ", "1", "a", "\u200d"}, ""});
  all.push_back({"Arabic ligatures", {"ﷺ", "صلى", "الله", " ", "ل", "ا", "\u064b"}, ""});
  all.push_back({"punctuation", {"a", "b", "'", "-", "_", ".", " ", "1", ",", "\n", "½"}, ""});
  all.push_back({"invalid bytes", {"a", "\xE3\x81", "\x8B", "か", "京", " ", "1", "\xE3"}, ""});
  std::size_t cuts = 0, blanks = 0;
  for (const Script& script : all)
    for (int round = 0; round < 20; ++round) {
      std::vector<std::string> texts(3);
      for (std::string& text : texts) {
        for (std::uint64_t left = 1 + random.below(30); left > 0; --left) {
          text += script.words[random.below(script.words.size())];
          if (random.below(3) != 0) text += script.between;
        }
        if (&text == texts.data()) continue;
        text += texts[0].substr(random.below(texts[0].size()), random.below(40));
        text += script.words[random.below(script.words.size())];
      }
      const auto min_words = static_cast<std::uint32_t>(1 + random.below(4));
      for (const CutAt at : {CutAt::kWord, CutAt::kSentence, CutAt::kParagraph, CutAt::kLine}) {
        MemoryCorpus corpus;
        for (const std::string& text : texts) corpus.add_text("", text);
        for (const DocumentCuts& document :
             remove_passages(corpus, removal_of(min_words, at)).documents) {
          const std::string& text = texts[document.document];
          std::vector<std::string> expected = extractor.trace(text).words;
          for (auto cut = document.cuts.rbegin(); cut != document.cuts.rend(); ++cut) {
            const auto first = expected.begin() + static_cast<std::ptrdiff_t>(cut->first_word);
            expected.erase(first, first + static_cast<std::ptrdiff_t>(cut->words));
            ++cuts;
            blanks += cut->leaves_blank;
            if (at == CutAt::kLine || at == CutAt::kParagraph) {
              ASSERT_FALSE(cut->leaves_blank) << text;
            }
          }
          const std::string left = without_cuts(text, document.cuts);
          ASSERT_LE(left.size(), text.size()) << script.name;
          ASSERT_EQ(extractor.trace(left).words, expected)
              << script.name << ", at " << name_of(at) << ": " << text << " -> " << left;
        }
      }
    }
  EXPECT_GT(cuts, 1'000u);
  EXPECT_GT(blanks, 5u);
}

TEST(RemovePassages, DropsDocumentsWithTooLittleLeft) {
  PassageRemovalOptions options = removal_of(3);
  options.min_left = 2;
  EXPECT_EQ(removed_from({"a b c d", "a b c x", "a b c y z"}, options)[1], "(dropped)");
  // The second one has the first place of what the third one loses.
  options.min_left = 9;
  const std::vector<std::string> left =
      removed_from({"a b c", "a b c x y z", "x y z w w w w"}, options);
  EXPECT_EQ(left[1], "x y z");
  EXPECT_EQ(left[2], "(dropped)");
}

// Every run of words of the texts as long as a passage is still there: where it was, or at an
// earlier place. With cuts at words, nothing is left that is a passage.
TEST(RemovePassages, LosesNoRunOfWords) {
  TestRandom random(2027);
  const FeatureExtractor extractor(FeatureSpec::parse("text:word1"));
  std::size_t cut = 0;
  for (int round = 0; round < 200; ++round) {
    std::vector<std::string> texts;
    const std::size_t different = 2 + random.below(8), count = 2 + random.below(6);
    for (std::size_t d = 0; d < count; ++d) {
      std::string text;
      for (std::uint64_t left = random.below(60); left > 0; --left) {
        text += static_cast<char>('a' + random.below(different));
        text += random.below(6) == 0 ? (random.below(2) == 0 ? ".\n" : ".\n\n") : " ";
      }
      if (d > 0 && random.below(2) == 0)
        text += texts[random.below(d)].substr(0, 2 * random.below(40));
      texts.push_back(std::move(text));
    }
    const auto min_words = static_cast<std::uint32_t>(3 + random.below(5));
    for (const CutAt at : {CutAt::kWord, CutAt::kSentence, CutAt::kParagraph, CutAt::kLine}) {
      MemoryCorpus corpus;
      for (const std::string& text : texts) corpus.add_text("", text);
      PassageRemovalOptions options = removal_of(min_words, at);
      options.min_left = random.below(2) * random.below(6);
      const PassageRemoval removal = remove_passages(corpus, options);
      // Words that are left, by document: whether each is still there.
      std::vector<std::vector<bool>> left;
      for (const std::string& text : texts)
        left.emplace_back(extractor.trace(text).words.size(), true);
      for (const DocumentCuts& document : removal.documents) {
        std::uint64_t words_left = left[document.document].size();
        std::uint64_t end = 0;
        for (const PassageCut& each : document.cuts) {
          ASSERT_LE(end, each.begin);
          ASSERT_LT(each.first_passage, each.last_passage);
          end = each.end;
          cut += each.words;
          words_left -= each.words;
          for (std::uint64_t i = 0; i < each.words; ++i)
            left[document.document][each.first_word + i] = false;
        }
        ASSERT_EQ(document.words_left, words_left);
      }
      for (const DocumentCuts& document : removal.documents)
        for (const Passage& passage : document.passages) {
          const auto first = left[passage.first.document].begin() +
                             static_cast<std::ptrdiff_t>(passage.first.first_word);
          ASSERT_EQ(removal.words_left(passage.first, passage.words),
                    std::count(first, first + static_cast<std::ptrdiff_t>(passage.words), true));
        }
      // Follows each word that was cut out to its earliest place.
      for (const DocumentCuts& document : removal.documents)
        for (const PassageCut& each : document.cuts)
          for (std::uint64_t word = each.first_word; word < each.first_word + each.words; ++word) {
            std::uint32_t at_document = document.document;
            std::uint64_t at_word = word;
            while (!left[at_document][at_word]) {
              const auto here = std::find_if(
                  removal.documents.begin(), removal.documents.end(),
                  [&](const DocumentCuts& other) { return other.document == at_document; });
              const auto passage = std::find_if(
                  here->passages.begin(), here->passages.end(), [&](const Passage& other) {
                    return other.place.first_word <= at_word &&
                           at_word < other.place.first_word + other.words;
                  });
              ASSERT_NE(passage, here->passages.end());
              ASSERT_LT(passage->first.document, at_document);
              at_word = at_word - passage->place.first_word + passage->first.first_word;
              at_document = passage->first.document;
            }
            const auto dropped = std::find_if(
                removal.documents.begin(), removal.documents.end(),
                [&](const DocumentCuts& other) { return other.document == at_document; });
            ASSERT_TRUE(dropped == removal.documents.end() || !dropped->dropped);
          }
    }
  }
  EXPECT_GT(cut, 5'000u);
}

TEST(RemovePassages, NeedEqualTexts) {
  MemoryCorpus corpus;
  PassageRemovalOptions options = removal_of(5);
  options.gap = 2;
  EXPECT_THROW(remove_passages(corpus, options), Error);
  options = removal_of(5);
  for (const char* features : {"text:word1+html", "text:word1+stop:en", "text:words1+stem:en"}) {
    options.features = FeatureSpec::parse(features);
    EXPECT_THROW(remove_passages(corpus, options), Error) << features;
  }
}

}  // namespace
}  // namespace benzer
