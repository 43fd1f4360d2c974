// Cuts the texts of passages, and of what is around them, into the pieces that people are shown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "benzer/features.h"
#include "benzer/passages.h"
#include "benzer/report.h"

#include "report/passage_choice.h"

namespace benzer::report {

inline constexpr std::size_t kShownPassages = 30;  // of each document
// Words of a passage that are shown: all of at most kWholeWords, else the first and the last ones.
inline constexpr std::uint64_t kHeadWords = 70, kTailWords = 25, kWholeWords = 120;
// Words around the passages of a document, and around a first place.
inline constexpr std::uint64_t kWordsAround = 25, kWordsAroundFirst = 12;
// Words that differ are looked for in so many words of a near passage.
inline constexpr std::uint64_t kAlignedWords = 4000;

// A part of a text.
struct TextPiece {
  enum class Kind {
    kAround,   // it is in no passage
    kEqual,    // both texts have it
    kOwn,      // words of a near passage that the other text does not have
    kLeftOut,  // words that are not shown
  };
  Kind kind = Kind::kAround;
  std::string text;
  // With kLeftOut: how many words are left out, and how many passages begin among them.
  std::uint64_t words = 0, passages = 0;
};

// A document that passages of another one come from.
struct ShownOrigin {
  ReportedDocument document;
  std::uint64_t words = 0, passages = 0;
};

struct ShownPassage {
  Passage passage;  // without its text
  // Which of ShownDocument::origins it comes from.
  std::size_t origin = 0;
  // What is between the shown passage before and this one; the passage, without what it has in
  // common with the one before; and its first place, with words around it.
  std::vector<TextPiece> before, text, first;
  // Words that it has in common with the shown passage before.
  std::uint64_t overlap = 0;
  // Of a near passage: its first words, and which of them the first place does not have.
  std::vector<std::uint64_t> words;
  std::vector<bool> own;
};

struct ShownDocument {
  ReportedDocument document;
  ChosenDocument chosen;
  // Those of the kept passages: the one with most words first.
  std::vector<ShownOrigin> origins;
  // The origin of each kept passage.
  std::vector<std::size_t> origin_of;
  // The longest of the kept passages, in the order of the text, and what is after the last one.
  std::vector<ShownPassage> passages;
  std::vector<TextPiece> after;
};

struct ShownFrequent {
  FrequentPassage passage;
  ReportedDocument document;
  std::vector<TextPiece> text;
};

// Whether the words of a passage and of its first place differ.
bool is_near(const Passage& passage);
// Whether some of these words are too far inside of it to be marked.
bool is_marked_in_part(const Passage& passage);

// Returns what is to be shown of a document, without texts.
ShownDocument shown_document(const Corpus& corpus, const ChosenDocument& chosen);

// Which words of two runs are not in the other one.
struct OwnWords {
  std::vector<bool> a, b;
  // How many words of each were walked along; those behind them have no equal one.
  std::size_t known_a = 0, known_b = 0;
};
// Walks along two runs of words that begin equally; between equal words at most `gap` words of
// either are skipped, if three equal ones follow.
OwnWords own_words(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b,
                   std::uint64_t gap);

// Cuts texts by their words.
class TextCutter {
 public:
  explicit TextCutter(const PassageOptions& options);

  // A text, as people read it, and where its words are.
  class Text {
   public:
    Text(const FeatureExtractor& extractor, std::string_view text);
    std::uint64_t words() const noexcept { return words_.size(); }
    // Returns the bytes of the words [begin, end). Numbers beyond the last word are allowed.
    std::string_view bare(std::uint64_t begin, std::uint64_t end) const;
    // Returns the same with the punctuation at both ends.
    std::string_view run(std::uint64_t begin, std::uint64_t end) const;
    // Returns what is between a word and the one before.
    std::string_view before(std::uint64_t word) const;

   private:
    std::string text_;
    std::vector<TextRange> words_;
  };
  Text read(std::string_view text) const { return {extractor_, text}; }

  // Fills in the words of near passages.
  void read_words(const Text& text, ShownDocument& out) const;
  // Fills in the first place of a passage, and which of its words are own ones.
  void cut_first(const Text& text, ShownPassage& out) const;
  // Fills in the texts of a document, after cut_first() for each passage.
  void cut_document(const Text& text, ShownDocument& out) const;
  void cut_frequent(const Text& text, ShownFrequent& out) const;

 private:
  std::vector<std::uint64_t> words_of(const Text& text, std::uint64_t begin,
                                      std::uint64_t words) const;

  const PassageOptions& options_;
  FeatureExtractor extractor_;
};

}  // namespace benzer::report
