// Chooses shingles of a text so that every shared run has one at the same words in both texts.
//
// Winnowing (Schleimer, Wilkerson and Aiken: Winnowing: Local Algorithms for Document
// Fingerprinting, SIGMOD 2003): of each window of w consecutive shingles the one with the least
// hash is chosen, of several the last. A run of at least k + w - 1 words has a whole window, whose
// choice depends on its words only. Of random texts 2 in w + 1 shingles are chosen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace benzer {

// A chosen shingle of a text.
struct ShingleSample {
  std::uint64_t hash;
  std::uint32_t word;  // the number of its first word in the text
};

class ShingleSampler {
 public:
  // Every run of at least shingle + window - 1 words will have a sample.
  ShingleSampler(std::size_t shingle, std::size_t window) noexcept;
  // For long runs: a third of the words is the length of a shingle, which hardly repeats by chance
  // and leaves wide windows.
  static ShingleSampler for_runs(std::uint32_t min_words) noexcept;
  // For short runs: longer shingles, since short ones repeat very often by chance.
  static ShingleSampler for_seeds(std::uint32_t min_words) noexcept;

  std::size_t shingle() const noexcept { return shingle_; }  // k, words of a shingle
  std::size_t window() const noexcept { return window_; }    // w, shingles of a window

  // Replaces the samples by those of a text, in its order. The words are hashes that the authors of
  // texts cannot predict.
  void sample(std::span<const std::uint64_t> words, std::vector<ShingleSample>& samples);

 private:
  std::size_t shingle_, window_;
  std::uint64_t leaving_;                // what the word that leaves a shingle was multiplied by
  std::vector<std::uint64_t> shingles_;  // hashes of the text
};

}  // namespace benzer
