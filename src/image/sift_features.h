// Key points of a picture as a feature set, one feature of 64 bits each:
//
//   bits 48-63  the word    32-47  the side (visual_words.h)    23-31  x    14-22  y
//        9-13   the size, in fourths of an octave from 1 pixel    3-8  the angle, in 64ths of a
//        turn 0-2    the weight, less 1
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "image/sift.h"
#include "image/visual_words.h"

namespace benzer {

// The longest side that places are kept for, and the most points that are kept of a picture.
inline constexpr std::uint32_t kLongestWithPoints = 512;
inline constexpr std::size_t kMostPoints = 800;
// With fewer no two pictures can be told to be the same (sift_match.h).
inline constexpr std::size_t kFewestPoints = 5;

struct VisualWord {
  std::uint16_t number = 0;
  std::uint16_t side = 0;  // see VisualWords::Word
  float x = 0, y = 0;      // in pixels
  float size = 0;          // as its logarithm to base 2
  float angle = 0;         // in turns
  int weight = 1;
  friend bool operator==(const VisualWord&, const VisualWord&) = default;
};

// Of a grey picture, sides up to kLongestWithPoints; not sorted. Threads: pure functions.
void add_sift_features(const Picture& grey, const VisualWords& vocabulary,
                       std::vector<std::uint64_t>& out);
// In the order of the features' numbers, and so of their words. Features may be any numbers, in any
// order.
std::vector<VisualWord> read_sift_features(std::span<const std::uint64_t> features);

}  // namespace benzer
