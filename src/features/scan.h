// Turns bytes into normalised text and the edges of its words: the fast path of extraction.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "features/kernels/text_kernels.h"

namespace benzer::internal {

// A growing array of plain values that are not cleared when it grows. It is for working memory that
// is written before it is read.
template <class T>
class RawBuffer {
 public:
  T* data() noexcept { return data_.get(); }
  const T* data() const noexcept { return data_.get(); }
  std::size_t capacity() const noexcept { return capacity_; }

  // Makes room for at least `wanted` values; the content may be lost.
  void reserve(std::size_t wanted) {
    if (wanted > capacity_) replace(wanted, 0);
  }

  // Does the same, but keeps the first `kept` values.
  void grow(std::size_t wanted, std::size_t kept) {
    if (wanted > capacity_) replace(wanted + capacity_ / 2, kept);
  }

 private:
  void replace(std::size_t capacity, std::size_t kept) {
    auto data = std::make_unique_for_overwrite<T[]>(capacity);
    for (std::size_t i = 0; i < kept; ++i) data[i] = data_[i];
    data_ = std::move(data);
    capacity_ = capacity;
  }

  std::unique_ptr<T[]> data_;
  std::size_t capacity_ = 0;
};

// Words of a text: their bytes and where they start and end.
struct WordText {
  RawBuffer<std::uint8_t> bytes;   // size, then kTextPadding
  RawBuffer<std::uint32_t> edges;  // start and end of each word, then kEdgePadding
  std::size_t size = 0;
  std::size_t words = 0;
  std::uint64_t replaced = 0;

  std::string_view word(std::size_t i) const noexcept {
    const std::uint32_t* edge = edges.data() + 2 * i;
    return {reinterpret_cast<const char*>(bytes.data()) + edge[0], edge[1] - edge[0]};
  }
};

// The longest text that is accepted, and the longest normalised form of one: positions of words
// must fit into 32 bits, and so must the number of features.
inline constexpr std::size_t kMaxTextBytes = std::size_t{1} << 30;
void check_text_size(std::size_t bytes);

// Texts up to this size are read in one piece.
inline constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

class WordScanner;

// Reads the words of a text. A long text is read in pieces, which never end inside a word, so the
// words do not depend on the size of pieces.
class WordReader {
 public:
  enum class Rule {
    kWords,       // text:wordN and text:charN: normalised
    kTruthRuns,   // truth:w3 and truth:c5: from bytes
    kTruthTerms,  // truth:w1 and text:terms004: from bytes
  };

  // Throws Error(kBadInput) if the text is too long. The text and `out` must outlive the reader.
  // stop (may be null): see FeatureBuffer.
  WordReader(Rule rule, std::string_view text, const TextKernels& kernels, std::size_t piece_bytes,
             const std::atomic<bool>* stop, WordText& out);
  ~WordReader();

  // Puts the next words, maybe none, into `out`. Returns false if the whole text was read before.
  // Throws Error(kBadInput) if the normalised text is too long, and Error(kInterrupted).
  bool next();

 private:
  std::string_view next_bytes();

  Rule rule_;
  std::string_view rest_;
  const TextKernels& kernels_;
  std::size_t piece_bytes_;
  const std::atomic<bool>* stop_;
  WordText& out_;
  std::unique_ptr<WordScanner> scanner_;  // only for a long text of kWords
  bool started_ = false;
};

}  // namespace benzer::internal
