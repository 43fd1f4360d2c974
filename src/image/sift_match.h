// Is one picture, or a part of it, in the other? Words that both have say where to look; that they
// lie in the same places, once one picture is turned, scaled and moved, decides.
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
  std::size_t agree = 0;    // places that lie over each other, and look alike
  std::size_t visible = 0;  // places in what both show, of the one that has fewer there
  AffineMap map;            // from a's pixels to b's
};

// From this score on it is the same picture, or a part of it. Of 277,236 pairs of different ones
// one came above it, and three near it: stamped with the same words.
inline constexpr double kSiftThreshold = 0.12;

// Places are squares of 8 pixels with a key point in them.
//   score = sqrt(agree / visible) * (agree - c) / (agree + c),    c = 4 + alike / 30,
// at least 0. alike: the pairs of points that look alike, and have about the turn and size of the
// map. c is what chance does: some affine map lays three points over any three others, a
// fourth is soon found, and where many points look alike (bricks, blinds, lines of text) some lie
// over each other whatever the map is. Words are those of read_sift_features(). The search starts
// from a's points. Cost: 0.05 ms for strangers, 0.5 ms for copies. Threads: a pure function.
SiftMatch match(std::span<const VisualWord> a, std::span<const VisualWord> b);

// The better one of a in b and b in a, which may differ: symmetric, but for the map, which is from
// a to b.
SiftMatch better_match(std::span<const VisualWord> a, std::span<const VisualWord> b);
// Its score; 1 for the same words.
double sift_similarity(std::span<const VisualWord> a, std::span<const VisualWord> b);

}  // namespace benzer
