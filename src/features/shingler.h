// Computes the features of a text piece by piece: the fast path of extraction.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "benzer/features.h"

#include "features/dictionary_words.h"
#include "features/extension.h"
#include "features/hash.h"
#include "features/kernels/text_kernels.h"
#include "features/scan.h"
#include "features/stemmer.h"
#include "features/stop_words.h"
#include "features/text_rules.h"

namespace benzer::internal {

// The working memory for one document.
struct ShingleScratch {
  WordText text;
  std::unique_ptr<DictionaryWords> dictionary;  // made for the first text of text:wordsN
  std::unique_ptr<StemHashes> stems;            // made for the first text with +stem
  RawBuffer<std::uint64_t> features;
  std::size_t before = 0;  // features of earlier pieces that are kept
  std::size_t count = 0;   // features of this piece, after those

  RawBuffer<std::uint64_t> hashes;     // sums of word hashes, or the hashes of words
  RawBuffer<std::uint8_t> joined;      // words joined by one blank, then padding
  RawBuffer<std::uint32_t> positions;  // of its code points and its end, then kEdgePadding
  // How many words (whose sums are in `hashes`) or bytes (of `joined`) were kept from the pieces
  // before this one, at the front.
  std::size_t carried = 0;
  bool any_joined = false;         // something was put into `joined`
  bool any_made = false;           // features were made
  bool after_white_space = false;  // +squeeze: the piece before ended with white space

  // For a bag: how often each feature was seen, in a table of a power of two slots.
  RawBuffer<std::uint64_t> seen;
  RawBuffer<std::uint64_t> times;  // 0: the slot is empty
  std::size_t slots = 0, used = 0;

  std::uint64_t* make_features(std::size_t wanted) {
    features.grow(before + wanted, before);
    count = wanted;
    return features.data() + before;
  }
  std::uint64_t* made() noexcept { return features.data() + before; }
  std::span<const std::uint64_t> piece() const noexcept {
    return {features.data() + before, count};
  }
};

// Threads: immutable; share freely, with one scratch per thread.
class Shingler {
 public:
  // piece_bytes: longer texts are processed in pieces of this size.
  Shingler(const FeatureSpec& spec, std::size_t piece_bytes = kPieceBytes);

  const HashKeys& keys() const noexcept { return keys_; }

  using Visit = std::function<void(std::span<const std::uint64_t>)>;
  // Hands the features of a text to `visit` in their order, some at a time. Without `visit` it
  // keeps them all: they are the first scratch.before of scratch.features. Returns true if the text
  // is short. Throws as WordReader does, and what `visit` throws.
  bool run(std::string_view text, const std::atomic<bool>* stop, ShingleScratch& scratch,
           const Visit& visit) const;

  // Hashes values, each of which becomes one feature: they are the first scratch.count of
  // scratch.features.
  void run_values(std::span<const std::string_view> values, ShingleScratch& scratch) const;

 private:
  WordReader::Rule rule() const;
  // Gives the features of this piece to `visit`, or keeps them if it is empty.
  void hand_over(ShingleScratch& scratch, const Visit& visit) const;
  void run_raw_text(std::string_view text, const std::atomic<bool>* stop, ShingleScratch& scratch,
                    const Visit& visit) const;
  void run_own_rule(std::string_view text, const std::atomic<bool>* stop, ShingleScratch& scratch,
                    const Visit& visit) const;
  void run_words(std::string_view text, const std::atomic<bool>* stop, ShingleScratch& scratch,
                 const Visit& visit) const;
  void shingle_words(const WordText& text, ShingleScratch& scratch) const;
  // Shingles the words whose sums follow scratch.hashes[0], of which the first scratch.carried are
  // those of earlier pieces.
  void shingle_sums(std::size_t words, ShingleScratch& scratch) const;
  void shingle_chars(ShingleScratch& scratch) const;
  void shingle_raw_text(std::string_view piece, ShingleScratch& scratch) const;
  // Shingles the first `size` bytes of scratch.joined.
  void shingle_joined(std::size_t size, ShingleScratch& scratch) const;
  void hash_windows(const std::uint8_t* joined, const std::uint32_t* positions, std::size_t windows,
                    std::size_t n, std::uint64_t* features) const;
  void single_words(ShingleScratch& scratch) const;
  // Makes the one feature of a text with fewer units than a shingle has. Returns true if the text
  // is such a short one.
  bool finish(ShingleScratch& scratch) const;
  void count_occurrences(ShingleScratch& scratch) const;
  void make_table(std::size_t features, ShingleScratch& scratch) const;
  // Hashes the words, drops stop words and stems the others. Writes their sums after sums[0], and
  // returns how many they are. stems: null without +stem.
  std::size_t sum_kept_words(const WordText& text, StemHashes* stems, std::uint64_t* sums) const;
  // Returns what stems the words of this document; null without +stem.
  StemHashes* stems(ShingleScratch& scratch) const;

  std::optional<TextFeatures> text_;  // empty: the features are not those of texts
  bool bag_;
  std::size_t shingle_;
  std::size_t piece_bytes_;
  HashKeys keys_;
  const TextKernels& kernels_;
  StopFilter stop_words_;
  std::unique_ptr<const RawTextRules> raw_;   // null unless the features are text:shingleN
  std::shared_ptr<const NamedTextRule> own_;  // null unless the features are own:NAME
};

}  // namespace benzer::internal
