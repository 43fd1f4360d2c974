// Decides whether one image, or a part of it, is in another. Words that both have give hypotheses;
// what decides is whether they are at the same places once one image is turned, scaled and moved.
//
// After D. Lowe (IJCV 2004, section 7), with hypotheses from single points as in J. Philbin et al.,
// "Object retrieval with large vocabularies and fast spatial matching" (CVPR 2007).
#pragma once

#include <cstddef>
#include <span>

#include "image/affine_map.h"
#include "image/sift_features.h"

namespace benzer {

struct SiftMatch {
  double score = 0;
  std::size_t agree = 0;    // places that the map lays over each other and that look alike
  std::size_t visible = 0;  // places in the part that both show, in the image with fewer
  AffineMap map;            // from a's pixels to b's
};

// From this score on the images are taken to be the same, or one to be a part of the other. Of
// 277,236 pairs of different photographs and wallpapers one came above it, and three near it:
// stamped with the same words. Small QR codes, bar charts and boards with other contents reach 0.35
// (docs/accuracy.md).
inline constexpr double kSiftThreshold = 0.12;

// Places are squares of 8 pixels with a key point in them.
//   score = sqrt(agree / visible) * (agree - c) / (agree + c),    c = 4 + alike / 30,
// at least 0, where `alike` counts the pairs of points that look alike and have about the turn and
// size of the map. c is what agrees by chance. Some affine map lays three points over any three
// others, and a fourth is soon found. Where many points look alike (bricks, blinds, lines of text),
// some agree under any map. The map is fitted in both directions, and the one with the better score
// is taken. The words are those of read_sift_features(). Symmetric except for the map, which is
// from a to b. Cost: 0.02 ms for unrelated images. Threads: a pure function.
SiftMatch match(std::span<const VisualWord> a, std::span<const VisualWord> b);

// The score of match(); 1 for the same words, 0 if there are none.
double sift_similarity(std::span<const VisualWord> a, std::span<const VisualWord> b);

}  // namespace benzer
