// Tells which shingles more than one text has.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace benzer {

// A Bloom filter (Bloom 1970) with two bits for each shingle, in one word: it knows all shingles
// that were added, and takes one in a hundred others for one of them. Those cost a little work, and
// change nothing.
class ShingleFilter {
 public:
  // Memory: two bytes for each shingle, but at most `most_bytes`.
  ShingleFilter(std::uint64_t shingles, std::uint64_t most_bytes) {
    std::uint64_t words = std::bit_ceil(shingles / 4 + 1);
    while (words > 1 && words * sizeof(std::uint64_t) > most_bytes) words /= 2;
    words_.resize(words);
  }

  // Shingles are hashes that the authors of texts cannot predict.
  void add(std::uint64_t shingle) noexcept { words_[place(shingle)] |= bits(shingle); }
  bool may_have(std::uint64_t shingle) const noexcept {
    return (words_[place(shingle)] & bits(shingle)) == bits(shingle);
  }

 private:
  std::size_t place(std::uint64_t shingle) const noexcept { return shingle & (words_.size() - 1); }
  static std::uint64_t bits(std::uint64_t shingle) noexcept {
    return std::uint64_t{1} << (shingle >> 58) | std::uint64_t{1} << (shingle >> 52 & 63);
  }

  std::vector<std::uint64_t> words_;
};

}  // namespace benzer
