// Finds passages that documents share, however little else they have in common: quotations, licence
// texts inside files, menus in crawled pages.
//
//     benzer::MemoryCorpus corpus;
//     corpus.add_text("poem", "the quick brown fox jumps over the lazy dog");
//     corpus.add_text("letter", "He wrote: the quick brown fox jumps over a fence.");
//     benzer::PassageOptions options;
//     options.min_words = 6;
//     benzer::find_passages(corpus, options, [](const benzer::Passage& passage) {
//       std::cout << passage.words << ' ' << passage.text;  // 6 the quick brown fox jumps over
//     });
//
// A passage is a run of words of a document that also occurs in an earlier document, and that is
// maximal: no longer run around it does. Words are those of the features (benzer/features.h), so
// case, spacing and punctuation do not matter. What is found is exact and complete: every maximal
// run of at least min_words words, with its first place in the whole corpus.
//
// The number of passages of a document is at most that of its words, also if a passage is in a
// million documents: each of these names the first one that it may share it with. Passages with the
// same first place and length are one cluster, which all places of a passage have.
//
// How (docs/design.md): shingles chosen by winnowing (Schleimer, Wilkerson and Aiken 2003) stand in
// every shared run at the same words; runs are extended from those that several documents have.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "benzer/config.h"
#include "benzer/corpus.h"
#include "benzer/guard_rails.h"
#include "benzer/runtime.h"

namespace benzer {

// Options of find_passages().
struct PassageOptions : RunControl {
  static constexpr std::uint32_t kMostMinWords = 100'000;
  static constexpr std::uint32_t kMostGap = 100;

  // The rule that cuts texts into words, and what it ignores (+html, +stop, +stem); its number of
  // words in a shingle is not used. For texts only, without +bag, +tf-idf and +drop-common.
  FeatureSpec features;
  // The fewest words of a passage, from 1 to kMostMinWords. Few words take more time: samples are
  // about 2 in 2/3 min_words words.
  std::uint32_t min_words = 50;
  // 0: the words of a passage are equal in both documents. Otherwise near passages are found, too:
  // runs of equal words of which at most this many words of either document lie between two, up to
  // kMostGap. The first and last words are equal, and each run after a gap has at least three.
  // Found are those with a run of min_words / 6 words, at most 8 and at least 4 (or min_words),
  // whose earliest place is in the other document's passage.
  std::uint32_t gap = 0;
  // Whether only passages between documents of different groups (DocumentView::group) are found. A
  // document without a group is a group of its own.
  bool across_groups = false;
  // Limit of the memory of the run, in bytes; 0 means none. Beyond it, data goes to temporary
  // files. The result is the same.
  std::uint64_t memory_limit = 0;
  // The folder for these files; empty means the system's folder for temporary files.
  std::string work_folder;
  // Whether runs of words that were found are also kept in work_folder, so that a later run about
  // the same documents and options need not find them again. remove_stages() removes them.
  bool keep_stages = false;
};

// A run of words in a document.
struct TextRun {
  // The number of the document in the corpus.
  std::uint32_t document = 0;
  // The bytes [begin, end) of the text, from the first byte of the first word to the last of the
  // last. With +html they are of the readable text, without its markup.
  std::uint64_t begin = 0, end = 0;
  // The same in characters (code points). Of invalid bytes, 80 to BF (hexadecimal) do not count.
  std::uint64_t begin_char = 0, end_char = 0;
  // How many words of the document are before it.
  std::uint64_t first_word = 0;
  friend bool operator==(const TextRun&, const TextRun&) = default;
};

// A passage of a document that is also in an earlier one.
struct Passage {
  // Where it is.
  TextRun place;
  // Where its words occur first in the corpus: always in an earlier document, with across_groups in
  // one of another group, and if there are references in one of these.
  TextRun first;
  // Its length, and that of the first place; they differ for near passages only.
  std::uint64_t words = 0, first_words = 0;
  // How many words of both are equal, in order.
  std::uint64_t equal_words = 0;
  // The number of its cluster: of the passages with the same first place and length. Counted from
  // 1, in the order of their first places.
  std::uint64_t cluster = 0;
  // How many passages the cluster has, this one included.
  std::uint64_t cluster_size = 0;
  // How many words the document of `place` has.
  std::uint64_t document_words = 0;
  // Returns the share of equal words, of the longer of both: 1 but for near passages.
  double score() const noexcept {
    return static_cast<double>(equal_words) /
           static_cast<double>(words > first_words ? words : first_words);
  }
  // Its text in the document of `place`, as bytes. Valid during the call of the sink.
  std::string_view text;
};

// What find_passages() has counted.
struct PassageCounts {
  // Documents, without references; and references.
  std::uint64_t documents = 0, references = 0;
  // Length of the documents' texts, in bytes, and their words; without references.
  std::uint64_t bytes = 0, words = 0;
  // Documents in which invalid UTF-8 was replaced; without references.
  std::uint64_t replaced = 0;
  // Passages, and the documents that have any.
  std::uint64_t passages = 0, documents_with = 0;
  // Words of these documents that are in at least one passage.
  std::uint64_t shared_words = 0;
  // Different passages: first places and lengths.
  std::uint64_t clusters = 0;
};

// Finds all passages and hands each to the sink, from one thread at a time, sorted by document and
// then by place. Passages of one document may overlap, but none is inside another. Passages of
// references (Corpus::references()) are left out. If there are references, other documents are
// compared with these only, and not with each other: what of the references is in them? Then
// across_groups is not allowed. The corpus must not have been scanned before.
//
// The result is the same for any number of threads and any memory_limit. Throws
// Error(kInvalidArgument) for options that are not allowed, Error(kInterrupted) if `stop` turns
// true, Error(kStorageFailed) if a temporary file cannot be written, and what corpus.scan() and the
// sink throw.
//
// If the corpus saves what was read (Corpus::saves()), a later run takes the first reading from
// there.
//
// Cost: reads every document twice, and those with passages or with first places of some once or
// twice more. Memory: at 50 words half a byte for each word, and 9 bytes for each word near a
// shingle that several documents have; with a limit, that is in temporary files, but not what is
// known about all places of one shingle, 120 bytes for each.
PassageCounts find_passages(Corpus& corpus, const PassageOptions& options,
                            const std::function<void(const Passage&)>& sink);

// Removes what runs with keep_stages have left in the work folder. Does nothing without
// keep_stages.
void remove_stages(const PassageOptions& options) noexcept;

// Which parts of a text are cut out: always whole ones, so that no word and no character is cut
// apart.
enum class CutAt {
  kWord,       // the words of the passage, and what is between them
  kSentence,   // sentences (Unicode Standard Annex 29) of which every word is in a passage
  kParagraph,  // parts between blank lines, likewise
  kLine,       // lines, likewise
};

// Returns the name in options: "word", "sentence", "paragraph" or "line".
constexpr std::string_view name_of(CutAt at) noexcept {
  switch (at) {
    case CutAt::kWord:
      return "word";
    case CutAt::kSentence:
      return "sentence";
    case CutAt::kParagraph:
      return "paragraph";
    case CutAt::kLine:
      break;
  }
  return "line";
}

// Options of remove_passages(). `gap` must be 0, since words that differ are nowhere else. The
// features must be without +stop and +stem for the same reason, and without +html, whose text is
// not that of the record.
struct PassageRemovalOptions : PassageOptions {
  // What is cut.
  CutAt at = CutAt::kWord;
  // Documents that lose something and have fewer words left are dropped; 0 drops none. A document
  // that has the first place of what another one loses is never dropped.
  std::uint64_t min_left = 0;
};

// A part that is cut out of a document.
struct PassageCut {
  // The bytes [begin, end) of the text.
  std::uint64_t begin = 0, end = 0;
  // Its words: their number, and how many of the document are before it.
  std::uint64_t first_word = 0, words = 0;
  // The passages that it is in, in order: places of DocumentCuts::passages [first, last).
  std::uint32_t first_passage = 0, last_passage = 0;
  // Whether a blank takes its place, since without one the words around it would become one.
  bool leaves_blank = false;
};

// What becomes of a document with passages.
struct DocumentCuts {
  std::uint32_t document = 0;
  // Its passages, without their texts.
  std::vector<Passage> passages;
  // In order, and apart from each other. None if no whole part is in passages.
  std::vector<PassageCut> cuts;
  // How many words it keeps.
  std::uint64_t words_left = 0;
  // Whether it is dropped, because these are too few.
  bool dropped = false;
};

// What remove_passages() returns.
struct PassageRemoval {
  PassageCounts counts;
  // The documents that have passages, in order.
  std::vector<DocumentCuts> documents;
  // Documents that lose something; of these, the dropped ones.
  std::uint64_t cut = 0, dropped = 0;
  // Words that are cut out, those that dropped documents had left included.
  std::uint64_t removed_words = 0;

  // Returns how many of the words of a run, such as a first place, are not cut out of its document.
  // The others are at the first places of passages that the run was cut with.
  std::uint64_t words_left(const TextRun& run, std::uint64_t words) const noexcept;
};

// Finds which parts of the documents have to be cut out so that of each passage the first place is
// left. Nothing is written. Parts of a first place may themselves be cut, where still earlier
// documents have them; so all words stay at their earliest place.
//
// Throws what find_passages() throws, and Error(kInvalidArgument) for options that are not allowed.
// Cost: documents with passages are read once more. Memory: about 200 bytes for each passage.
PassageRemoval remove_passages(Corpus& corpus, const PassageRemovalOptions& options);

// Returns the guard rails that the removal crosses: passages in the order of their first places,
// then sources. What counts for passages is how many documents lose the same words, whatever the
// words around them are. To that end each word is followed to its earliest place; references are
// not compared with each other, so the same words in two of them count as different ones.
std::vector<GuardRailBreach> check_guard_rails(const Corpus& corpus, const PassageRemoval& removal,
                                               const GuardRails& rails = {});

// Returns a text without some parts of it, which must be in order and apart from each other. Blanks
// behind a part go, too, if there is white space in front of it, or nothing. With all cuts of a
// document, and the features text:word1, the words of what is left are those that are not cut.
std::string without_cuts(std::string_view text, std::span<const PassageCut> cuts);

}  // namespace benzer
