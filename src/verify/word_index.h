// Which pictures have words in common, in sift_features.h's sense: inverted lists (J. Sivic and A.
// Zisserman, "Video Google", ICCV 2003), with the weak geometric consistency of H. Jegou, M. Douze
// and C. Schmid ("Hamming Embedding and weak geometric consistency", ECCV 2008): words count
// together if they are turned by about the same angle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "image/sift_features.h"

namespace benzer {

// The weights of the words that both pictures have, with sides that are near, turned by the same
// angle up to an eighth of a turn: the largest sum for any angle. Both in the order of their words,
// as read_sift_features() gives them.
int words_in_common(std::span<const VisualWord> a, std::span<const VisualWord> b);

// Is that worth a look? Pictures with many words have more in common by chance: of strangers 6 %
// pass, of pictures that are similar 997 in 1000.
inline bool enough_in_common(int weights, std::size_t words_a, std::size_t words_b) noexcept {
  return static_cast<std::size_t>(weights) >= 10 + words_a * words_b / 4000;
}

// Threads: immutable; share freely.
class WordIndex {
 public:
  // words_of(picture) is called once or twice for each. Memory: 8 bytes for each word of each
  // picture, and 256 KiB.
  WordIndex(std::uint32_t pictures,
            const std::function<std::vector<VisualWord>(std::uint32_t picture)>& words_of);

  // What one thread counts with: 32 bytes for each picture.
  class Votes {
   public:
    explicit Votes(const WordIndex& index) : counts_(index.sizes_.size() * kAngles) {}

   private:
    friend class WordIndex;
    std::vector<std::uint16_t> counts_;
    std::vector<std::uint32_t> touched_;
  };

  // Adds the numbers behind `after` of the pictures with enough in common, ascending. Misses none.
  // Cost: each common word of each picture, some ns.
  void find(std::span<const VisualWord> words, std::uint32_t after, Votes& votes,
            std::vector<std::uint32_t>& out) const;

 private:
  static constexpr std::size_t kAngles = 16;
  struct Posting {
    std::uint32_t picture;
    std::uint16_t side;
    std::uint16_t angle;  // in 64ths of a turn
  };

  std::vector<std::uint64_t> starts_;  // of each word in postings_
  std::vector<Posting> postings_;      // by word, then by picture
  std::vector<std::uint32_t> sizes_;   // words of each picture
};

}  // namespace benzer
