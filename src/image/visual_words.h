// Maps what surrounds a key point to one of 65,536 words. The vocabulary is learned from images. An
// image becomes a set of words, and similar images are found as similar texts are.
//
// After J. Sivic and A. Zisserman, "Video Google" (ICCV 2003). A word has two halves of 8 bits.
// Each is the nearest of 256 centres for one half of the descriptor (A. Babenko and V. Lempitsky,
// "The Inverted Multi-Index", CVPR 2012). So the whole vocabulary takes 33 KB, and words can also
// be compared by halves.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

#include "image/sift.h"

namespace benzer {

class VisualWords {
 public:
  static constexpr std::size_t kHalves = 2;  // of a descriptor, and of a word
  static constexpr std::size_t kCentres = 256;
  static constexpr std::size_t kHalfSize = std::tuple_size_v<Descriptor> / kHalves;
  static constexpr int kMostWeight = 8;

  struct Word {
    std::uint16_t number = 0;  // the first half is the higher byte
    // One bit for each of 16 directions: on which side of the median the descriptor is. Points that
    // have the same word by chance usually differ here (H. Jegou, M. Douze and C. Schmid, "Hamming
    // Embedding", ECCV 2008).
    std::uint16_t side = 0;
    // 1 to kMostWeight, higher for rare words (idf). Estimated from how often each half was seen in
    // training, as if halves were independent: 65,536 words are too many to count each.
    int weight = 1;
  };
  // Threads: a pure function. Cost: 6 us.
  Word word(const Descriptor& descriptor) const noexcept;

  // The built-in vocabulary, learned from generated images.
  static const VisualWords& built_in();

  // Learns a vocabulary from the descriptors of images: k-means with integers, so that the same
  // descriptors give the same vocabulary on every machine. Throws Error(kInvalidArgument) for fewer
  // than kFewest. Cost: 6 s for kMost on one core. progress is called from the calling thread, and
  // may throw to end the training.
  static constexpr std::size_t kFewest = 5000;
  static constexpr std::size_t kMost = 200'000;  // more do not improve the vocabulary
  using Progress = std::function<void(int done, int all)>;
  static VisualWords train(std::span<const Descriptor> examples, int threads,
                           const Progress& progress = {});

  // docs/format.md describes the bytes. read() throws Error(kBadInput), with `name` in front, that
  // says what is wrong with them.
  std::string write() const;
  static VisualWords read(std::string_view bytes, std::string_view name);

  friend bool operator==(const VisualWords&, const VisualWords&) = default;

 private:
  using Centre = std::array<std::uint8_t, kHalfSize>;
  static constexpr std::size_t kDirections = 16;

  void train_half(std::size_t half, std::span<const Descriptor> examples, int threads,
                  const Progress& progress);

  std::array<std::array<Centre, kCentres>, kHalves> centres_{};
  // -log2 of the share of each centre in training, in eighths.
  std::array<std::array<std::uint8_t, kCentres>, kHalves> rarities_{};
  std::array<std::int32_t, kDirections> medians_{};
};

}  // namespace benzer
