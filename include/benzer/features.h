// From a field to its features: normalise, tokenise, shingle, hash.
//
// The rules (docs/format.md defines them byte by byte, version "features 1"):
//   0. With +html, the markup goes and the readable text stays.
//   1. Normalise: Unicode NFKC with case folding (ICU's NFKC_Casefold). Invalid UTF-8 is replaced
//      by U+FFFD, one per maximal subpart, and counted.
//   2. A word is a maximal run of letters, digits and combining marks. Runs of scripts that do not
//      put spaces between words (Han, Hiragana, Katakana, Thai, Lao, Khmer, Myanmar, ...) are cut
//      into their code points, each with its combining marks, per run and not per document.
//   3. Shingles: N consecutive words, or N consecutive code points of the words joined by one
//   space.
//      A text with fewer than N units is one shingle of the whole; a text with none has no
//      features.
//   4. Each shingle is hashed to one seeded 64-bit feature, which sketches and exact verification
//      share.
// ASCII text takes a fused fast path with the same result.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "benzer/config.h"

namespace benzer {

namespace internal {
class CommonFeatures;
class UniqueFeatures;
}  // namespace internal

// Receives the features of one document at a time and holds the working memory for it: make one per
// thread and use it again for the next document.
class FeatureBuffer {
 public:
  FeatureBuffer();
  // stop: when it turns true (may be null), an extraction into this buffer ends with
  // Error(kInterrupted), in the middle of a long text too. It must outlive the buffer.
  explicit FeatureBuffer(const std::atomic<bool>* stop);
  ~FeatureBuffer();
  FeatureBuffer(FeatureBuffer&&) noexcept;
  FeatureBuffer& operator=(FeatureBuffer&&) noexcept;

  // The features in the order of the text, repeats included (minhashing is idempotent, so nothing
  // is gained by removing them here). Valid until the next extraction into this buffer. Empty where
  // the caller of extract() was visited with them.
  std::span<const std::uint64_t> features() const noexcept { return features_; }

  // The text had at least one unit but fewer than the shingle, or the picture too little detail
  // for a hash: its one feature is the whole.
  bool is_short() const noexcept { return is_short_; }

  // Sequences of invalid UTF-8 that were replaced.
  std::uint64_t replaced() const noexcept { return replaced_; }

  // +drop-common: the document has features, and all are common. They are kept.
  bool only_common() const noexcept { return only_common_; }

  // Why a picture has no features, to be read behind "FILE: ": it is no image, or a damaged one.
  // Empty: nothing is wrong.
  const std::string& problem() const noexcept { return problem_; }

 private:
  friend class FeatureExtractor;
  struct Scratch;

  std::unique_ptr<Scratch> scratch_;
  const std::atomic<bool>* stop_ = nullptr;
  std::span<const std::uint64_t> features_;  // in scratch_
  bool is_short_ = false;
  bool only_common_ = false;
  std::uint64_t replaced_ = 0;
  std::string problem_;
};

// What extraction did, step by step, for people: `benzer explain` and `benzer compare` show it.
struct TextTrace {
  struct Shingle {
    std::string text;       // units joined by one blank for words, the code points for characters;
                            // of values the value
    std::uint64_t feature;  // what extraction yields for it, in the same order
    // The bytes [begin, end) of the text, as it was given (with +html: of the readable text), that
    // it comes from: with what lies between its words, and whole characters where normalisation
    // took one apart; nothing where it is a blank that the text does not have. Neither begin nor
    // end ever decreases from one shingle to the next.
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  std::string readable;    // with +html: what is left of the text without its markup; of values
                           // all of them, each with a line end behind it
  std::string normalised;  // UTF-8
  std::vector<std::string> words;
  std::vector<Shingle> shingles;
  bool is_short = false;
  std::uint64_t replaced = 0;
};

// Threads: immutable after construction; share freely, with one FeatureBuffer per thread.
// Cost: about 1 ns per byte of ASCII text, 2 to 4 ns per byte of other text; +html adds 2 to 4
// ns per byte of page. What NFKC makes longer (one character may become 18) costs by what it
// becomes: at most 11 times as much, and where thousands of combining marks follow one another
// 100 ns per mark.
// Memory: texts beyond 1 MiB are worked through in pieces of that size, so that of the normalised
// text a piece and its longest word (or run of combining marks) are held at a time.
class FeatureExtractor {
 public:
  // Throws Error(kInvalidArgument) for a language without a list of stop words, and for
  // +drop-common without what is common: only a run over a corpus knows that.
  explicit FeatureExtractor(const FeatureSpec& spec,
                            std::shared_ptr<const internal::CommonFeatures> common = nullptr);
  ~FeatureExtractor();
  FeatureExtractor(FeatureExtractor&&) noexcept;
  FeatureExtractor& operator=(FeatureExtractor&&) noexcept;

  const FeatureSpec& spec() const noexcept;

  // The features of a text (any bytes), or of an image file by its bytes. The spec must not be
  // `values`.
  // Holds 8 bytes for each feature, which are up to 6 per byte of text.
  void extract(std::string_view text, FeatureBuffer& out) const;

  // The same features in the same order, some at a time, so that those of a long text need no room.
  // (With +drop-common they come all at once.) The span is valid during the call.
  using FeatureVisitor = std::function<void(std::span<const std::uint64_t>)>;
  void extract(std::string_view text, FeatureBuffer& out, const FeatureVisitor& visit) const;

  // The features of a value set: one per value, bytes as they are. The spec must be `values`.
  void extract_values(std::span<const std::string_view> values, FeatureBuffer& out) const;

  // +drop-common: what is left out; otherwise none.
  const std::shared_ptr<const internal::CommonFeatures>& common() const noexcept;
  bool drops(std::uint64_t feature) const noexcept;
  std::uint64_t dropped() const;  // different features that were left out so far, of all documents

  // The slow, readable account of extract(); the same features in the same order, and those that
  // +drop-common leaves out. Takes some 400 bytes a feature. Throws Error(kInvalidArgument) for a
  // text with more than kMostTraced of them.
  static constexpr std::uint64_t kMostTraced = std::uint64_t{1} << 22;
  TextTrace trace(std::string_view text) const;

  // What people read of a text: with +html what is left without its markup, else the text itself.
  std::string readable(std::string_view text) const;
  // The trace of a readable text, or of a part of one.
  void check_can_be_traced(std::string_view text) const;
  TextTrace trace_readable(std::string_view readable) const;
  // The same account of extract_values(): a shingle for each value, and its bytes in `readable`.
  TextTrace trace_values(std::span<const std::string_view> values) const;

 private:
  struct Impl;
  void extract_all_values(std::span<const std::string_view> values, FeatureBuffer& out) const;
  void extract_picture(std::string_view bytes, FeatureBuffer& out) const;
  void extract_text(std::string_view text, FeatureBuffer& out, const FeatureVisitor& visit) const;
  std::unique_ptr<const Impl> impl_;
};

// The unique features of a document, the only thing that exact similarity sees.
class FeatureSet {
 public:
  FeatureSet() = default;
  // Removes repeats; keeps the order of first occurrence. Cost: a few ns per feature, no sorting.
  // Memory: 8 bytes for each different feature, and up to 32 more while it is made.
  explicit FeatureSet(std::span<const std::uint64_t> features);

  std::size_t size() const noexcept { return features_.size(); }
  bool empty() const noexcept { return features_.empty(); }
  std::span<const std::uint64_t> features() const noexcept { return features_; }

 private:
  friend class internal::UniqueFeatures;

  std::vector<std::uint64_t> features_;
};

// Which parts of a document the comparison with another one saw there, too.
enum class Mark {
  kNone,    // no shingle covers it: punctuation, blanks
  kShared,  // a shingle (or value) covers it that the other document has, too
  kOwn,     // only shingles cover it that the other document does not have
};

struct MarkedPiece {
  Mark mark = Mark::kNone;
  std::string text;  // valid UTF-8
};

}  // namespace benzer
