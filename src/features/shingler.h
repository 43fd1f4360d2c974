// From a text to the hashes of its shingles, piece by piece: the fast path of extraction.
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

#include "features/extension.h"
#include "features/hash.h"
#include "features/kernels/text_kernels.h"
#include "features/scan.h"
#include "features/stop_words.h"

namespace benzer::internal {

// The working memory of a document.
struct ShingleScratch {
  WordText text;
  RawBuffer<std::uint64_t> features;
  std::size_t before = 0;  // features of earlier pieces that are kept
  std::size_t count = 0;   // features of this piece, behind them

  RawBuffer<std::uint64_t> hashes;     // sums of word hashes, or the hashes of words
  RawBuffer<std::uint8_t> joined;      // words joined by one blank, then padding
  RawBuffer<std::uint32_t> positions;  // of its code points and its end, then kEdgePadding
  // Of the pieces before this one: words whose sums, or bytes which are at the front.
  std::size_t carried = 0;
  bool any_joined = false;         // something was put into `joined`
  bool any_made = false;           // features were
  bool after_white_space = false;  // what was squeezed ended so

  // Of a bag: how often a feature was seen, in a table of a power of two slots.
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
  // piece_bytes: longer texts are worked through in pieces of this size.
  Shingler(const FeatureSpec& spec, std::size_t piece_bytes = kPieceBytes);

  const HashKeys& keys() const noexcept { return keys_; }

  using Visit = std::function<void(std::span<const std::uint64_t>)>;
  // Visits the features of a text in their order, some at a time, or without `visit` keeps them
  // all: then they are scratch.features, of which there are scratch.before. Returns whether the
  // text is short. Throws as WordReader does, and what `visit` throws.
  bool run(std::string_view text, const std::atomic<bool>* stop, ShingleScratch& scratch,
           const Visit& visit) const;

  // The same of values, which are features already: in scratch.features, of which there are
  // scratch.count.
  void run_values(std::span<const std::string_view> values, ShingleScratch& scratch) const;

 private:
  WordReader::Rule rule() const;
  void shingle_words(ShingleScratch& scratch) const;
  void shingle_chars(ShingleScratch& scratch) const;
  void shingle_raw_text(std::string_view piece, ShingleScratch& scratch) const;
  // Of scratch.joined, in which are so many bytes.
  void shingle_joined(std::size_t size, ShingleScratch& scratch) const;
  void hash_windows(const std::uint8_t* joined, const std::uint32_t* positions, std::size_t windows,
                    std::size_t n, std::uint64_t* features) const;
  void single_words(ShingleScratch& scratch) const;
  // What is left of a text with fewer units than a shingle has. Returns whether it is short.
  bool finish(ShingleScratch& scratch) const;
  void count_occurrences(ShingleScratch& scratch) const;
  void make_table(std::size_t features, ShingleScratch& scratch) const;
  // Hashes the words and drops stop words; returns how many are left. Their sums follow sums[0].
  std::size_t sum_without_stop_words(const WordText& text, std::uint64_t* sums) const;

  std::optional<TextFeatures> text_;  // nothing: not of texts
  bool bag_;
  std::size_t shingle_;
  std::size_t piece_bytes_;
  HashKeys keys_;
  const TextKernels& kernels_;
  StopFilter stop_words_;
  std::unique_ptr<const RawTextRules> raw_;  // null: not text:shingleN
};

}  // namespace benzer::internal
