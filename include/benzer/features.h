// Turns the text, values or image of a field into features: 64-bit numbers by which documents are
// compared.
//
//     const benzer::FeatureExtractor extractor(benzer::FeatureSpec::parse("text:word3"));
//     benzer::FeatureBuffer buffer;  // one for each thread, used again for the next document
//     extractor.extract("The quick brown fox jumps over the lazy dog", buffer);
//     const benzer::FeatureSet fox(buffer.features());
//
// The rules (docs/format.md defines them byte by byte, version "features 1"):
//   0. With +html, the markup is removed, which leaves the readable text.
//   1. Normalise: Unicode NFKC with case folding (ICU's NFKC_Casefold). Invalid UTF-8 is replaced
//      by U+FFFD, one per maximal subpart, and counted.
//   2. A word is a maximal run of letters, digits and combining marks. Runs of scripts that do not
//      put spaces between words (Han, Hiragana, Katakana, Thai, Lao, Khmer, Myanmar, ...) are cut
//      into their code points, each with its combining marks, per run and not per document.
//      With text:wordsN, ICU's dictionaries cut such a run into words where they know its script.
//      Stop words are dropped, and with +stem words become their stems.
//   3. Shingles: N consecutive words, or N consecutive code points of the words joined by one
//      space. A text with fewer than N units is one shingle of the whole; a text with none has no
//      features.
//   4. Each shingle is hashed to one seeded 64-bit feature, which sketches and exact verification
//      share.
// ASCII text takes a fused fast path with the same result.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "benzer/config.h"

namespace benzer {

namespace internal {
class FrequencyCounter;
class UniqueFeatures;
}  // namespace internal

// In how many of N documents features occur, as it was counted once, by count_frequencies()
// (benzer/dedup.h). Features with +tf-idf@MARK weigh by it, so that single texts and the documents
// of an index have weights that no later document changes.
//
// It has the most frequent features, kMostFeatures at most. Each other feature, also one that no
// counted document has, counts as one of rest() documents: fewer have it than any that is named.
//
// The mark is made from all that it holds, so documents of equal marks have equal weights. As long
// as an object lives, FeatureSpec::parse() finds it by its mark; of equal ones there is one object.
//
// Threads: immutable; share freely. Memory: 16 bytes a feature, 4 MiB at most.
class DocumentFrequencies {
 public:
  static constexpr std::size_t kMostFeatures = std::size_t{1} << 18;

  struct Entry {
    std::uint64_t feature;
    std::uint32_t documents;  // that have it
    friend bool operator==(const Entry&, const Entry&) = default;
  };

  // features: the spelling of what was counted, without +tf-idf. Throws Error(kInvalidArgument) for
  // a spelling that is not allowed, no document or 2^32 and more, more entries than allowed, two of
  // one feature, and for `rest` or an entry of no or of more than all documents.
  static std::shared_ptr<const DocumentFrequencies> make(const FeatureSpec& features,
                                                         std::uint64_t documents,
                                                         std::uint32_t rest,
                                                         std::vector<Entry> entries);
  // Reads what bytes() returned. Throws Error(kBadInput) for anything else, which names `where`.
  static std::shared_ptr<const DocumentFrequencies> parse(std::string_view bytes,
                                                          std::string_view where);
  // Reads such a file. Throws Error(kNotFound) if there is none, Error(kBadInput) if it cannot be
  // read or is another file, and Error(kCorrupt) if it begins as such a file and is damaged.
  static std::shared_ptr<const DocumentFrequencies> load(const std::string& path);
  // Returns the one that lives and has this mark, or null.
  static std::shared_ptr<const DocumentFrequencies> find(std::string_view mark);

  ~DocumentFrequencies();
  DocumentFrequencies(const DocumentFrequencies&) = delete;
  DocumentFrequencies& operator=(const DocumentFrequencies&) = delete;

  // Returns the bytes of a file with it (docs/format.md), 12 for each feature and some more.
  std::string bytes() const;
  // Returns 16 hexadecimal digits.
  const std::string& mark() const noexcept;
  // Returns the spelling of the features that were counted, without +tf-idf.
  const std::string& features() const noexcept;
  // Returns the spelling of the features that weigh by them, with +tf-idf and without the mark.
  std::string weighed() const;
  std::uint64_t documents() const noexcept;
  std::uint32_t rest() const noexcept;
  // Returns true if these features have +tf-idf, and were counted but for that.
  bool fits(const FeatureSpec& weighed) const;
  // Returns how many features are named.
  std::size_t size() const noexcept;
  // Returns in how many documents the feature occurs, or rest() if it is not named.
  std::uint32_t frequency(std::uint64_t feature) const noexcept;
  // Returns what each occurrence of the feature weighs, in millionths: log2(1 + N / n).
  std::uint64_t weight(std::uint64_t feature) const noexcept;

 private:
  struct Impl;
  explicit DocumentFrequencies(std::unique_ptr<const Impl> impl);
  static std::shared_ptr<const DocumentFrequencies> share(std::unique_ptr<const Impl> impl);
  std::unique_ptr<const Impl> impl_;
};

// Gives features with +tf-idf that have no frequencies those that were counted for them, if these
// are among `all`. Returns the place of the first that none of the features has, or all.size().
std::size_t use_frequencies(std::span<const std::shared_ptr<const DocumentFrequencies>> all,
                            std::span<FeatureSpec* const> features);

// Receives the features of one document at a time, and holds the working memory for it. Make one
// for each thread and use it again for the next document. Threads: one.
class FeatureBuffer {
 public:
  FeatureBuffer();
  // stop: when it becomes true, an extraction into this buffer throws Error(kInterrupted), also in
  // the middle of a long text. It must outlive the buffer. Null means that nothing stops it.
  explicit FeatureBuffer(const std::atomic<bool>* stop);
  // Gives a buffer that is used again another flag.
  void stop_when(const std::atomic<bool>* stop) noexcept { stop_ = stop; }
  ~FeatureBuffer();
  FeatureBuffer(FeatureBuffer&&) noexcept;
  FeatureBuffer& operator=(FeatureBuffer&&) noexcept;

  // Returns the features in the order of the text, with repeats (repeats do not change a signature,
  // so nothing is gained by removing them here). The span is valid until the next extraction into
  // this buffer. It is empty after an extract() that handed the features to a visitor.
  std::span<const std::uint64_t> features() const noexcept { return features_; }

  // With weights (+weights, +tf-idf): returns the features without these, in the order of the
  // document, with repeats. Otherwise the same as features().
  std::span<const std::uint64_t> occurrences() const noexcept {
    return occurrences_.empty() ? features_ : occurrences_;
  }

  // Returns true if the text had at least one unit, but fewer than a shingle has, or the image too
  // little detail for a hash. Then its features are those of the whole text or image.
  bool is_short() const noexcept { return is_short_; }

  // Returns the number of sequences of invalid UTF-8 that were replaced by U+FFFD.
  std::uint64_t replaced() const noexcept { return replaced_; }

  // Returns true if the document has features and +drop-common would leave out all of them. Then
  // they are kept.
  bool only_common() const noexcept { return only_common_; }

  // Returns why an image has no features, to be printed after "FILE: ": it cannot be decoded. Empty
  // means that nothing is wrong.
  const std::string& problem() const noexcept { return problem_; }

  // Returns the width times the height of an image, as its file says. 0 if it cannot be decoded,
  // and for texts and values.
  std::uint64_t pixels() const noexcept { return pixels_; }

 private:
  friend class FeatureExtractor;
  struct Scratch;

  std::unique_ptr<Scratch> scratch_;
  const std::atomic<bool>* stop_ = nullptr;
  std::span<const std::uint64_t> features_;     // in scratch_
  std::span<const std::uint64_t> occurrences_;  // likewise; only with weights
  bool is_short_ = false;
  bool only_common_ = false;
  std::uint64_t replaced_ = 0;
  std::uint64_t pixels_ = 0;
  std::string problem_;
};

// The bytes [begin, end) of a text.
struct TextRange {
  std::size_t begin = 0;
  std::size_t end = 0;
  friend bool operator==(const TextRange&, const TextRange&) = default;
};

// What an extraction did, step by step, for people: `benzer explain` and `benzer compare` show it.
struct TextTrace {
  // One shingle of the text, or one value of the set.
  struct Shingle {
    // The words joined by one blank, the characters, or the value.
    std::string text;
    // The feature that extraction makes of it, without its weight.
    std::uint64_t feature;
    // The bytes [begin, end) that the shingle comes from: of the text as it was given, or with
    // +html of the readable text. They include what is between its words, and a whole character
    // where normalisation took one apart. They are empty for a blank that the text does not have.
    // Neither begin nor end ever decreases from one shingle to the next.
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  // With +html the text without its markup; of values all of them, each followed by a line end.
  std::string readable;
  // The text after normalisation, in UTF-8; the text as it is if the features do not normalise it.
  std::string normalised;
  // Its words, without stop words; of own:NAME the pieces, which may be any bytes.
  std::vector<std::string> words;
  // With +stem the stem of each word, of which the shingles are made; otherwise empty.
  std::vector<std::string> stems;
  // The shingles in the order of the text, with repeats.
  std::vector<Shingle> shingles;
  // The same as FeatureBuffer::is_short() and replaced().
  bool is_short = false;
  std::uint64_t replaced = 0;
};

// Extracts the features that a FeatureSpec describes.
//
// Threads: immutable after construction. Any number of threads may share one, each with a
// FeatureBuffer of its own.
// Cost: about 1 ns per byte of ASCII text, 2 to 4 ns per byte of other text; +html adds 2 to 4
// ns per byte of page. +stem and text:wordsN: docs/config.md. What NFKC makes longer (one character
// may become 18) costs by what it becomes: at most 11 times as much, and where thousands of
// combining marks follow one another 100 ns per mark. Memory: texts beyond 1 MiB are worked through
// in pieces of that size, so that of the normalised text a piece and its longest word (or run of
// combining marks) are held at a time.
class FeatureExtractor {
 public:
  // frequencies: in how many documents features occur, which only a run over a corpus knows; for
  // +drop-common, and for +tf-idf without a mark. Throws Error(kInvalidArgument) for a language
  // without a list of stop words and if FeatureSpec::needs_frequencies() and there are none, and
  // Error(kNotFound) or Error(kBadInput) for a vocabulary of image:sift that cannot be read.
  explicit FeatureExtractor(
      const FeatureSpec& spec,
      std::shared_ptr<const internal::FrequencyCounter> frequencies = nullptr);
  ~FeatureExtractor();
  FeatureExtractor(FeatureExtractor&&) noexcept;
  FeatureExtractor& operator=(FeatureExtractor&&) noexcept;

  // Returns what it was made with.
  const FeatureSpec& spec() const noexcept;

  // Extracts the features of a text (any bytes), or of an image by the bytes of its file. Takes 8
  // bytes of memory for each feature, of which there may be 6 for each byte of text. Throws
  // Error(kInvalidArgument) if the spec is `values`, and Error(kBadInput) for a text of more than 1
  // GiB and for one on which a TextRule fails. An image that cannot be decoded throws nothing: see
  // FeatureBuffer::problem().
  //
  // With +tf-idf a feature is the upper 44 bits of the feature without weights, and in the lower 20
  // bits its weight: the number of its occurrences times occurrence_weight(), to five significant
  // digits. Each occurs once.
  void extract(std::string_view text, FeatureBuffer& out) const;

  // Hands the same features to visit() in the same order, some at a time, so that a long text takes
  // little memory. (With +drop-common and +tf-idf all come at once.) The span is valid during the
  // call.
  using FeatureVisitor = std::function<void(std::span<const std::uint64_t>)>;
  void extract(std::string_view text, FeatureBuffer& out, const FeatureVisitor& visit) const;

  // Extracts the features of a value set, one for each value. The spec must be `values`.
  //
  // weights: with +weights that of each value, or none, which is a weight of 1 for each; the
  // weights of equal values are added up. They are counted in millionths, to five significant
  // digits, and a sum of more than the largest weight becomes that. A feature is then the upper 44
  // bits of the feature without weights, and the weight in the lower 20; each occurs once. Throws
  // Error(kInvalidArgument) for weights without +weights, for another number of weights than
  // values, for one that is not from 0.000001 to 99,999,000, and for a sum above 9,000,000,000.
  void extract_values(std::span<const std::string_view> values, FeatureBuffer& out,
                      std::span<const double> weights = {}) const;

  // Returns the frequencies that it was made with; null for features that need none of a run.
  const std::shared_ptr<const internal::FrequencyCounter>& frequencies() const noexcept;
  // With +tf-idf: returns what each occurrence of a feature weighs, in millionths:
  // log2(1 + N / n) if n of N documents have it.
  std::uint64_t occurrence_weight(std::uint64_t feature) const noexcept;
  // Returns true if +drop-common leaves this feature out.
  bool drops(std::uint64_t feature) const noexcept;
  // Returns how many different features were left out so far, in all documents together.
  std::uint64_t dropped() const;

  // Returns a readable account of what extract() does: the same features in the same order, with
  // those that +drop-common leaves out. It is slow, and takes about 400 bytes for each feature.
  // Throws Error(kInvalidArgument) for a text with more than kMostTraced features.
  static constexpr std::uint64_t kMostTraced = std::uint64_t{1} << 22;
  TextTrace trace(std::string_view text) const;

  // Returns what people read of a text: with +html the text without its markup, else all of it.
  std::string readable(std::string_view text) const;
  // Throws what trace() throws for this text.
  void check_can_be_traced(std::string_view text) const;
  // Returns the trace of a text that readable() has returned, or of a part of one.
  TextTrace trace_readable(std::string_view readable) const;
  // Returns where the words of a text are that readable() has returned: for each feature, in order,
  // the bytes that it comes from. The features must be text:word1 or text:words1. Cost: 2 ns per
  // byte of ASCII, up to 200 of other text.
  std::vector<TextRange> word_places(std::string_view readable) const;
  // Returns the same account of extract_values(): a shingle for each value, with its bytes in
  // `readable`.
  TextTrace trace_values(std::span<const std::string_view> values) const;

 private:
  struct Impl;
  void extract_all_values(std::span<const std::string_view> values, FeatureBuffer& out) const;
  void add_weights(std::span<const double> weights, FeatureBuffer& out) const;
  void weigh_occurrences(FeatureBuffer& out) const;
  void extract_picture(std::string_view bytes, FeatureBuffer& out) const;
  void extract_text(std::string_view text, FeatureBuffer& out, const FeatureVisitor& visit) const;
  std::unique_ptr<const Impl> impl_;
};

// The unique features of a document. Exact similarity is computed from nothing else.
class FeatureSet {
 public:
  FeatureSet() = default;
  // Removes repeats and keeps the order of first occurrence. Takes a few nanoseconds a feature, 8
  // bytes for each different feature, and up to 32 more while it is made.
  explicit FeatureSet(std::span<const std::uint64_t> features);

  std::size_t size() const noexcept { return features_.size(); }
  bool empty() const noexcept { return features_.empty(); }
  std::span<const std::uint64_t> features() const noexcept { return features_; }

 private:
  friend class internal::UniqueFeatures;

  std::vector<std::uint64_t> features_;
};

// Whether a part of a document is also in the document that it is compared with.
enum class Mark {
  kNone,    // no shingle covers it: punctuation, blanks
  kShared,  // a shingle (or value) covers it that the other document has, too
  kOwn,     // only shingles cover it that the other document does not have
};

// A part of a document, for showing two documents side by side.
struct MarkedPiece {
  Mark mark = Mark::kNone;
  std::string text;  // valid UTF-8
  // The weight of a value as it was given, of features with weights; absent for other pieces.
  std::optional<double> weight;
};

}  // namespace benzer
