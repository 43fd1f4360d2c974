// From bytes to normalised text and the edges of its words: the fast path of extraction.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "features/kernels/text_kernels.h"

namespace benzer::internal {

// A growing array of plain values that are not cleared when it grows: for working memory that is
// written before it is read.
template <class T>
class RawBuffer {
 public:
  T* data() noexcept { return data_.get(); }
  const T* data() const noexcept { return data_.get(); }
  std::size_t capacity() const noexcept { return capacity_; }

  // Room for at least `wanted` values; the content is lost.
  void reserve(std::size_t wanted) {
    if (wanted > capacity_) replace(wanted, 0);
  }

  // The same, but keeps the first `kept` values.
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

// The longest text that is taken: positions must fit 32 bits.
inline constexpr std::size_t kMaxTextBytes = std::size_t{1} << 30;

// Normalises and finds the words of text:* features. Throws Error(kBadInput) if the text or its
// normalised form is too long.
void scan_words(std::string_view text, const TextKernels& kernels, WordText& out);

// The words of truth:w3 and truth:c5, and those of truth:w1, from bytes.
void scan_truth_runs(std::string_view text, const TextKernels& kernels, WordText& out);
void scan_truth_terms(std::string_view text, WordText& out);

}  // namespace benzer::internal
