// A vocabulary of pictures: what surrounds a key point as one of 65,536 words, learned from
// pictures, so that a picture is a set of words and pictures are found like texts.
//
// After J. Sivic and A. Zisserman, "Video Google" (ICCV 2003). A word is two halves of 8 bits, each
// the nearest of 256 centres for one half of the descriptor (A. Babenko and V. Lempitsky, "The
// Inverted Multi-Index", CVPR 2012): so the whole vocabulary takes 33 KB, and half a word can be
// recognised, too.
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
    // On which side of the median the descriptor lies along 16 directions: so what has the same
    // word by chance can be told apart (H. Jegou, M. Douze and C. Schmid, "Hamming Embedding",
    // ECCV 2008).
    std::uint16_t side = 0;
    // 1 to kMostWeight: rare words say more (idf). By how often its two halves were seen in
    // training, as if they did not depend on each other: nobody has seen 65,536 words often enough
    // to count them.
    int weight = 1;
  };
  // Threads: a pure function. Cost: 6 us.
  Word word(const Descriptor& descriptor) const noexcept;

  // The one that is built in, learned from made-up pictures.
  static const VisualWords& built_in();

  // From the descriptors of pictures: k-means with integers, so that the same descriptors give the
  // same vocabulary on every machine. Throws Error(kInvalidArgument) for fewer than kFewest. Cost:
  // 6 s for kMost on one core. progress is called from this thread, and may throw to end it.
  static constexpr std::size_t kFewest = 5000;
  static constexpr std::size_t kMost = 200'000;  // more are of no use
  using Progress = std::function<void(int done, int all)>;
  static VisualWords train(std::span<const Descriptor> examples, int threads,
                           const Progress& progress = {});

  // docs/format.md has the bytes. read() throws Error(kBadInput) that says what is wrong with them,
  // with `name` in front.
  std::string write() const;
  static VisualWords read(std::string_view bytes, std::string_view name);

  friend bool operator==(const VisualWords&, const VisualWords&) = default;

 private:
  using Centre = std::array<std::uint8_t, kHalfSize>;
  static constexpr std::size_t kDirections = 16;

  void train_half(std::size_t half, std::span<const Descriptor> examples, int threads,
                  const Progress& progress);

  std::array<std::array<Centre, kCentres>, kHalves> centres_{};
  // Of each half of a word: -log2 of its share of all that was seen, in eighths.
  std::array<std::array<std::uint8_t, kCentres>, kHalves> rarities_{};
  std::array<std::int32_t, kDirections> medians_{};
};

}  // namespace benzer
