#include "report/evidence.h"

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "benzer/error.h"

#include "dedup/document.h"
#include "features/frequency_counter.h"
#include "report/report_test_util.h"

namespace benzer::report {
namespace {

using Mark = ReportedText::Mark;

// Returns the extractor of a run over the corpus, which with +drop-common knows what is common in
// it.
FeatureExtractor extractor_for(const MemoryCorpus& corpus, std::string_view text) {
  const FeatureSpec spec = FeatureSpec::parse(text);
  if (!spec.needs_frequencies()) return FeatureExtractor(spec);
  FeatureSpec all = spec;
  all.drop_common = 0;
  all.tf_idf = false;
  const FeatureExtractor extractor(all);
  const auto frequencies = std::make_shared<internal::FrequencyCounter>();
  const auto reader = corpus.reader();
  FeatureBuffer buffer;
  for (std::uint32_t i = 0; i < corpus.size(); ++i) {
    extract_features(extractor, reader->read(i), buffer);
    frequencies->add(FeatureSet(buffer.features()).features());
  }
  if (spec.tf_idf) {
    frequencies->finish(corpus.size());
  } else {
    frequencies->finish(corpus.size(), spec.drop_common);
  }
  return FeatureExtractor(spec, frequencies);
}

ReportedField compared(MemoryCorpus& corpus, std::string_view spec) {
  const FeatureExtractor extractor = extractor_for(corpus, spec);
  const auto reader = corpus.reader();
  Evidence a = read_evidence(corpus, *reader, extractor, 0);
  Evidence b = read_evidence(corpus, *reader, extractor, 1);
  return compare(a, b, extractor);
}

ReportedField compared(const std::string& a, const std::string& b, std::string_view spec) {
  MemoryCorpus corpus;
  corpus.add_text("a", a);
  corpus.add_text("b", b);
  return compared(corpus, spec);
}

TEST(Evidence, AChangedWordIsMarkedAndItsNeighboursAreShared) {
  const ReportedField pair = compared("One two, three four FIVE six seven!",
                                      "one two three four 5 six seven", "text:word2");
  EXPECT_EQ(marked(pair.text_a), "[One two, three four] {FIVE} [six seven]!");
  EXPECT_EQ(marked(pair.text_b), "[one two three four] {5} [six seven]");
  EXPECT_EQ(pair.shared, 4U);
  EXPECT_EQ(pair.only_a, 2U);
  EXPECT_EQ(pair.only_b, 2U);
  EXPECT_DOUBLE_EQ(pair.score, 0.5);
  EXPECT_FALSE(pair.same_text);
}

TEST(Evidence, PunctuationBetweenSharedAndOwnWordsIsNotMarked) {
  const ReportedField pair = compared("name: (x), y. same\n.", "name: z; same", "text:word1");
  EXPECT_EQ(marked(pair.text_a), "[name]: ({x), y}. [same]\n.");
  EXPECT_EQ(marked(pair.text_b), "[name]: {z}; [same]");
}

TEST(Evidence, BlanksAroundLineEndsAreNotMarked) {
  const ReportedField pair = compared("a b\n   c d", "x y\n\nz a b", "text:word1");
  EXPECT_EQ(marked(pair.text_a), "[a b]\n   {c d}");
  EXPECT_EQ(marked(pair.text_b), "{x y}\n\n{z} [a b]");
}

TEST(Evidence, NormalisedTextIsMarkedWhereItCameFrom) {
  const ReportedField pair = compared("\ufb01ne \uff21\uff22 \xff e\u0301t\u00e9",
                                      "FINE ab x \u00c9T\u00c9", "text:word1");
  EXPECT_EQ(marked(pair.text_a), "[\ufb01ne \uff21\uff22] \ufffd [e\u0301t\u00e9]");
  EXPECT_EQ(marked(pair.text_b), "[FINE ab] {x} [\u00c9T\u00c9]");
}

TEST(Evidence, OfPagesTheReadableTextIsShown) {
  const ReportedField pair =
      compared("<p class='x'>One <b>two</b></p><p>three</p><script>no</script>",
               "<div>one&nbsp;two<br>four &lt;", "text:word1+html");
  EXPECT_EQ(marked(pair.text_a), "[One two]\n{three}");
  EXPECT_EQ(marked(pair.text_b), "[one]\u00a0[two]\n{four} <");
  EXPECT_EQ(pair.text_a.size, 13U);
  EXPECT_TRUE(pair.readable);
  EXPECT_TRUE(compared("<p>a b", "<i>a</i> b", "text:word1+html").same_text);
}

TEST(Evidence, LongPagesAreFollowedInTheirReadableText) {
  std::string same;
  for (int i = 0; i < 4000; ++i) same += "<td><a href='/page'>same" + std::to_string(i) + "</a>";
  const ReportedField pair =
      compared(same + "<td>left", same + "<br><b>right</b>", "text:word2+html");
  EXPECT_TRUE(pair.text_a.marked);
  EXPECT_TRUE(marked(pair.text_a).ends_with("same3999]\n{left}"));
  EXPECT_TRUE(marked(pair.text_b).ends_with("same3999]\n{right}"));
}

TEST(Evidence, EqualFeaturesAndEqualTexts) {
  const ReportedField same = compared("a b", "a b", "text:word1");
  EXPECT_TRUE(same.same_text);
  const ReportedField equal = compared("a b", "A, b", "text:word1");
  EXPECT_FALSE(equal.same_text);
  EXPECT_EQ(equal.score, 1);
}

TEST(Evidence, LongTextsBeginShortlyBeforeTheFirstDifference) {
  std::string common, rest;
  for (int i = 0; i < 2000; ++i) common += "w" + std::to_string(i) + " ";
  for (int i = 0; i < 2000; ++i) rest += "r" + std::to_string(i) + " ";
  const ReportedField pair =
      compared(common + "CHANGED " + rest, common + "other words " + rest, "text:word5");
  for (const ReportedText* text : {&pair.text_a, &pair.text_b}) {
    EXPECT_GE(text->begin, common.size() - kLeadBytes - 50);
    EXPECT_LT(text->begin, common.size() - 100);
    EXPECT_LE(text->end - text->begin, kExcerptBytes);
    EXPECT_TRUE(text->marked);
    EXPECT_NE(marked(*text).find(text == &pair.text_a ? "] {CHANGED} [" : "] {other words} ["),
              std::string::npos)
        << marked(*text);
    EXPECT_EQ(marked(*text).substr(0, 2), "[w");
  }
  // A text that ends where the other one goes on is shown from its last words.
  const ReportedField cut = compared(common, common + rest, "text:word5");
  EXPECT_EQ(cut.text_a.end, common.size());
  EXPECT_LE(cut.text_b.begin, common.size());
  EXPECT_GT(cut.text_b.begin, common.size() - 400);
}

TEST(Evidence, ExcerptsBeginAndEndAtCharacters) {
  std::string han;
  for (int i = 0; i < 3000; ++i) han += "\u6f22";
  const ReportedField pair = compared(han, han + "\u5b57", "text:word5+bag");
  for (const ReportedText* text : {&pair.text_a, &pair.text_b}) {
    EXPECT_EQ(text->begin % 3, 0U);
    EXPECT_EQ(text->end % 3, 0U);
    EXPECT_EQ(marked(*text).find("\ufffd"), std::string::npos);
  }
}

TEST(Evidence, VeryLongTextsAreFollowedAsFarAsItPays) {
  std::string common;
  while (common.size() < kFollowedBytes + 100000)
    common += "word" + std::to_string(common.size()) + " ";
  const ReportedField pair = compared(common + "a", common + "b", "text:word5");
  EXPECT_GT(pair.score, 0.99);
  EXPECT_EQ(pair.only_a, 1U);
  EXPECT_EQ(pair.text_a.size, common.size() + 1);
  EXPECT_EQ(pair.text_a.end, common.size() + 1);
}

// Where no feature shows it within the bytes that are traced, the first other byte does.
TEST(Evidence, TheFirstDifferenceIsShownHoweverFarItIs) {
  std::string common;
  while (common.size() < kFollowedBytes + 100000)
    common += "word" + std::to_string(common.size()) + " ";
  const ReportedField far =
      compared(common + "left" + common, common + "right" + common, "text:word5");
  for (const ReportedText* text : {&far.text_a, &far.text_b}) {
    EXPECT_LE(text->begin, common.size() - 100);
    EXPECT_GT(text->begin, common.size() - kLeadBytes - 1);
    EXPECT_FALSE(text->marked);
    const std::string shown = marked(*text);
    EXPECT_NE(shown.find(text == &far.text_a ? " left" : " right"), std::string::npos) << shown;
  }
  // No feature differs, but a byte.
  const std::string some = common.substr(0, common.find(' ', 10000) + 1);
  for (const std::string changed : {"x, y ", "X y ", "x y. "}) {
    const ReportedField equal = compared(some + "x y " + some, some + changed + some, "text:word5");
    EXPECT_EQ(equal.score, 1);
    EXPECT_LE(equal.text_a.begin, some.size() - 100);
    EXPECT_GT(equal.text_a.begin, some.size() - kLeadBytes - 1);
    EXPECT_EQ(equal.text_b.begin, equal.text_a.begin);
    EXPECT_TRUE(equal.text_a.marked);
  }
  EXPECT_EQ(compared(some, some, "text:word5").text_a.begin, 0U);
}

TEST(Evidence, StopsInTheMiddleOfALongText) {
  MemoryCorpus corpus;
  corpus.add_text("a", std::string(4 << 20, 'a'));
  const auto reader = corpus.reader();
  const std::atomic<bool> stop{true};
  try {
    read_evidence(corpus, *reader, extractor_for(corpus, "text:word5"), 0, &stop);
    ADD_FAILURE() << "it went on";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInterrupted);
  }
}

TEST(Evidence, ValuesAreOneALine) {
  MemoryCorpus corpus;
  corpus.add_values("a", {"red", "dark blue"});
  corpus.add_values("b", {"(green)", "red"});
  const ReportedField pair = compared(corpus, "values");
  EXPECT_EQ(marked(pair.text_a), "[red]\n{dark blue}\n");
  EXPECT_EQ(marked(pair.text_b), "{(green)}\n[red]\n");
}

TEST(Evidence, WeightsFollowTheirValues) {
  MemoryCorpus corpus;
  corpus.add_weighted_values("a", {"red", "dark blue", "red"}, {2.5, 1, 0.5});
  corpus.add_weighted_values("b", {"(green)", "red"}, {0.25, 1});
  const ReportedField pair = compared(corpus, "values+weights");
  EXPECT_EQ(marked(pair.text_a), "[red] 2.5\n{dark blue} 1\n[red] 0.5\n");
  EXPECT_EQ(marked(pair.text_b), "{(green)} 0.25\n[red] 1\n");
  EXPECT_DOUBLE_EQ(pair.score, 1 / 4.25);
  EXPECT_EQ(pair.shared, 1U);
  EXPECT_EQ(pair.only_a, 1U);
  EXPECT_FALSE(pair.same_text);
  EXPECT_DOUBLE_EQ(pair.shared_weight, 1);
  EXPECT_DOUBLE_EQ(pair.all_weight, 4.25);
}

// A word of one of three documents weighs 2 for each occurrence, and one of all weighs 1.
TEST(Evidence, RareWordsHaveMoreWeight) {
  MemoryCorpus corpus;
  corpus.add_text("a", "menu storm menu coast");
  corpus.add_text("b", "Menu, storm. Ferry");
  corpus.add_text("c", "menu");
  const ReportedField pair = compared(corpus, "text:word1+tf-idf");
  EXPECT_EQ(marked(pair.text_a), "[menu storm menu] {coast}");
  EXPECT_EQ(marked(pair.text_b), "[Menu, storm]. {Ferry}");
  EXPECT_EQ(pair.shared, 2U);
  EXPECT_EQ(pair.only_a, 1U);
  EXPECT_DOUBLE_EQ(pair.shared_weight, 1 + 1.3219);  // log2(1 + 3 / 2), five digits
  EXPECT_DOUBLE_EQ(pair.all_weight, 2 + 1.3219 + 2 + 2);
  EXPECT_DOUBLE_EQ(pair.score, pair.shared_weight / pair.all_weight);
}

TEST(Evidence, ValuesHaveTheWeightOfEachOccurrence) {
  MemoryCorpus corpus;
  corpus.add_values("a", {"all", "own", "own"});
  corpus.add_values("b", {"all"});
  const ReportedField pair = compared(corpus, "values+tf-idf");
  EXPECT_EQ(marked(pair.text_a), "[all] 1\n{own} 1.584963\n{own} 1.584963\n");
  EXPECT_DOUBLE_EQ(pair.all_weight, 1 + 3.1699);
}

// Makes twenty documents; the first two differ in one word (or value), and what all have is common.
MemoryCorpus with_common(bool values) {
  MemoryCorpus corpus;
  for (int i = 0; i < 20; ++i) {
    std::vector<std::string> words;
    for (int j = 0; j < 40; ++j) words.push_back("menu" + std::to_string(j));
    const std::string number = i < 2 ? "" : std::to_string(i);
    for (int j = 0; j < 8; ++j) words.push_back("text" + number + "at" + std::to_string(j));
    words[44] = "changed" + std::to_string(i);
    for (int j = 0; j < 40; ++j) words.push_back("foot" + std::to_string(j));
    std::string text;
    for (const std::string& word : words) text += word + " ";
    if (values) {
      corpus.add_values(std::to_string(i), words);
    } else {
      corpus.add_text(std::to_string(i), text);
    }
  }
  return corpus;
}

TEST(Evidence, EveryFeatureHasItsPlaceWhateverTheyAre) {
  for (const char* kind : {"values", "text:word1", "text:word5", "text:char5", "text:word2+html",
                           "truth:w1", "truth:w3", "truth:c5"}) {
    for (const char* how : {"", "+bag", "+drop-common:0.5", "+bag+drop-common:0.5"}) {
      FeatureSpec spec = FeatureSpec::parse("values");
      try {
        spec = FeatureSpec::parse(std::string(kind) + how);
      } catch (const Error&) {
        continue;  // there is no such combination
      }
      SCOPED_TRACE(spec.str());
      MemoryCorpus corpus = with_common(spec.values() != nullptr);
      const FeatureExtractor extractor = extractor_for(corpus, spec.str());
      const auto reader = corpus.reader();
      Evidence a = read_evidence(corpus, *reader, extractor, 0);
      Evidence b = read_evidence(corpus, *reader, extractor, 1);
      const ReportedField pair = compare(a, b, extractor);
      ASSERT_EQ(a.places.size(), a.features.size());
      for (std::size_t i = 0; i < a.places.size(); ++i) {
        EXPECT_EQ(a.places[i].feature, a.features[i]);
        EXPECT_LE(a.places[i].end, a.text.size());
        EXPECT_EQ(extractor.drops(a.features[i]), false);
      }
      const bool drops = spec.drop_common != 0;
      EXPECT_EQ(extractor.dropped() > 0, drops);
      std::string own, shared, rest;
      for (const ReportedText::Piece& piece : pair.text_a.pieces)
        (piece.mark == Mark::kOwn      ? own
         : piece.mark == Mark::kShared ? shared
                                       : rest) += piece.text + ",";
      const TextFeatures* text = spec.text();
      if (!text || text->kind == TextFeatures::Kind::kWords) {
        EXPECT_NE(own.find("changed0"), std::string::npos) << own;
      }
      if (!text || text->shingle < 3) {
        EXPECT_NE(shared.find("textat1"), std::string::npos) << shared;
      }
      EXPECT_NE((drops ? rest : shared).find("menu7"), std::string::npos) << rest << shared;
    }
  }
}

TEST(Evidence, CommonValuesAreNotMarked) {
  MemoryCorpus corpus;
  corpus.add_values("a", {"all", "red", "every", "dark blue"});
  corpus.add_values("b", {"every", "(green)", "all", "red"});
  for (int i = 0; i < 18; ++i) corpus.add_values("x", {"all", "every", std::to_string(i)});
  const ReportedField pair = compared(corpus, "values+drop-common:0.5");
  EXPECT_EQ(marked(pair.text_a), "all\n[red]\nevery\n{dark blue}\n");
  EXPECT_EQ(marked(pair.text_b), "every\n{(green)}\nall\n[red]\n");
}

TEST(Evidence, EndlessIdsAreCut) {
  MemoryCorpus corpus;
  corpus.add_text(std::string(4000, 'x'), "");
  corpus.add_text(std::string(1000000, 'x'), "");
  EXPECT_EQ(reported_document(corpus, 0).id_json.size(), 4002U);
  EXPECT_LT(reported_document(corpus, 1).id_json.size(), 300U);
  EXPECT_EQ(reported_document(corpus, 1).id_json.substr(0, 4), "\"\\\"x");
}

TEST(Evidence, EmptyTexts) {
  const ReportedField pair = compared("", "?", "text:word1");
  EXPECT_EQ(pair.score, 0);
  EXPECT_TRUE(pair.text_a.pieces.empty());
  EXPECT_EQ(marked(pair.text_b), "?");
}

}  // namespace
}  // namespace benzer::report
