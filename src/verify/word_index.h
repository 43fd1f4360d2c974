// Finds images that have visual words (sift_features.h) in common, by inverted lists (J. Sivic and
// A. Zisserman, "Video Google", ICCV 2003) with the weak geometric consistency of H. Jegou, M.
// Douze and C. Schmid ("Hamming Embedding and weak geometric consistency", ECCV 2008): words count
// together if they are turned by about the same angle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "image/sift_features.h"

namespace benzer {

// Returns the largest sum, over all angles, of the weights of the words that both images have with
// similar sides and turned by that angle, up to an eighth of a turn. Both lists must be in the
// order of their words, as read_sift_features() gives them.
int words_in_common(std::span<const VisualWord> a, std::span<const VisualWord> b);

// Returns true if this sum is enough for the images to be compared. Images with many words have
// more in common by chance: 6 % of unrelated pairs pass, and 997 in 1000 of similar ones.
inline bool enough_in_common(int weights, std::size_t words_a, std::size_t words_b) noexcept {
  return static_cast<std::size_t>(weights) >= 10 + words_a * words_b / 4000;
}

// The inverted lists of the words of all images. Threads: immutable; share freely.
class WordIndex {
 public:
  // words_of(picture) is called twice for each image. Memory: 8 bytes for each word of each image,
  // and 512 KiB.
  WordIndex(std::uint32_t pictures,
            const std::function<std::vector<VisualWord>(std::uint32_t picture)>& words_of);

  // The counters of one thread: 32 bytes for each image.
  class Votes {
   public:
    explicit Votes(const WordIndex& index) : counts_(index.sizes_.size() * kAngles) {}

   private:
    friend class WordIndex;
    std::vector<std::uint16_t> counts_;
    std::vector<std::uint32_t> touched_;
  };

  // Which of two images, in words_in_common(), the words are that are looked up.
  enum class LookedUp { kFirst, kSecond };
  // Appends the numbers, ascending, of all images that have enough in common with the words. Cost:
  // some ns for each common word of each image.
  void find(std::span<const VisualWord> words, LookedUp looked_up, Votes& votes,
            std::vector<std::uint32_t>& out) const;

 private:
  static constexpr std::size_t kAngles = 16;
  struct Posting {
    std::uint32_t picture;
    std::uint16_t side;
    std::uint8_t angle;  // in 64ths of a turn
    std::uint8_t weight;
  };

  std::vector<std::uint64_t> starts_;  // of each word in postings_
  std::vector<Posting> postings_;      // by word, then by image
  std::vector<std::uint32_t> sizes_;   // words of each image
};

}  // namespace benzer
