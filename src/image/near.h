// Is it the same picture, though cropped a little, turned by some degrees, framed or stamped? Two
// steps: hashes say which pairs to look at, and laying one thumbnail over the other decides.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "image/hashes.h"
#include "image/picture.h"

namespace benzer {

inline constexpr std::size_t kThumbnailSide = 64;

// What is kept of a picture.
struct NearFeatures {
  ImageHash whole;  // pdq of the picture
  ImageHash inner;  // pdq of it without its frame (see trimmed())
  // The mean greys of the picture without its frame, whatever its shape was.
  std::array<std::uint8_t, kThumbnailSide * kThumbnailSide> thumbnail{};
  friend bool operator==(const NearFeatures&, const NearFeatures&) = default;
};

// From this similarity on it is the same picture. Of photographs, abstract drawings and pages of
// text that are different ones, none came above 0.82.
inline constexpr double kNearThreshold = 0.85;

// Of a grey picture that is not empty. Threads: all of these are pure functions.
NearFeatures near_features(const Picture& grey);

// The cheap bound: without it a pair is not worth a near_similarity(). The bits in which the hashes
// differ, those of the 8 x 8 lowest frequencies counted four times, are at most 166 (inner) or 140
// (whole); about one of 1500 pairs of different pictures passes.
bool near_candidates(const NearFeatures& a, const NearFeatures& b) noexcept;
// The same by the hashes alone, for those who look at very many.
struct NearHashes {
  ImageHash whole, inner;
};
bool near_candidates(const NearHashes& a, const NearHashes& b) noexcept;

// In [0, 1], symmetric, the same bits each time. One thumbnail is laid over the other by the affine
// map with the least robust squared difference (Gauss-Newton from coarse to fine, with brightness
// and contrast as two more unknowns; see align.h). Then, in 16 windows of a fourth of the side
// each, with a and b the greys (0 to 255) that lie over each other, less 0.9 of what is one slope
// in them:
//   agreement = cov(a, b) / (sqrt(var a * var b) + 0.7)
//   evidence  = m / (m + 2), m = max(var a, var b)
// The fifth of the evidence that agrees least is dropped, since a watermark or a logo may lie
// there:
//   similarity = sum(evidence * agreement) / (sum(evidence) + 0.32)
//                * min(1, 0.4 + 0.8 * share of the thumbnail that lies over the other),
// at least 0, and the lower one of a over b and b over a. Little contrast is little evidence, so
// such pictures have to agree in more of it; with none a picture is like none, but for one with
// equal features: that is 1.
double near_similarity(const NearFeatures& a, const NearFeatures& b);

}  // namespace benzer
