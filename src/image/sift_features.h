// Writes the key points of an image as a feature set, one feature of 64 bits each:
//
//   bits 48-63   the word
//        32-47   the side (visual_words.h)
//        23-31   x
//        14-22   y
//        9-13    the size, in steps of a fourth of an octave from 1 pixel
//        3-8     the angle, in steps of a 64th of a turn
//        0-2     the weight, less 1
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "image/sift.h"
#include "image/visual_words.h"

namespace benzer {

// The longest side of an image for which features have room, and the most points of an image.
inline constexpr std::uint32_t kLongestWithPoints = 512;
inline constexpr std::size_t kMostPoints = 800;
// With fewer points, sift_match.h cannot tell that two images are the same.
inline constexpr std::size_t kFewestPoints = 5;

inline constexpr int kSizeSteps = 4;  // of an octave
inline constexpr int kMostSizeSteps = 31;
inline constexpr int kAngleSteps = 64;  // of a turn

struct VisualWord {
  std::uint16_t number = 0;
  std::uint16_t side = 0;  // see VisualWords::Word
  float x = 0, y = 0;      // in pixels
  float size = 0;          // logarithm to base 2 of the size in pixels
  float angle = 0;         // in turns
  int weight = 1;
  friend bool operator==(const VisualWord&, const VisualWord&) = default;
};

// Whole numbers, as size and angle come from them.
inline int size_steps(const VisualWord& word) { return static_cast<int>(word.size * kSizeSteps); }
inline int angle_steps(const VisualWord& word) {
  return static_cast<int>(word.angle * kAngleSteps);
}

// For a grey image with sides of up to kLongestWithPoints. Appends features without sorting them.
// Threads: pure functions.
void add_sift_features(const Picture& grey, const VisualWords& vocabulary,
                       std::vector<std::uint64_t>& out);
// Returns the points in the order of their features as numbers, and so of their words. Features may
// be any numbers, in any order.
std::vector<VisualWord> read_sift_features(std::span<const std::uint64_t> features);

}  // namespace benzer
