// Decides whether two images are the same one, though cropped a little, turned by some degrees,
// framed or stamped. Hashes select the pairs to compare, and laying one thumbnail over the other
// decides.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "image/file_hash.h"
#include "image/hashes.h"
#include "image/picture.h"

namespace benzer {

inline constexpr std::size_t kThumbnailSide = 64;

// What is kept of an image.
struct NearFeatures {
  ImageHash whole;  // pdq of the image
  ImageHash inner;  // pdq of the image without its frame (see trimmed())
  // The mean greys of the image without its frame, made square whatever its shape was.
  std::array<std::uint8_t, kThumbnailSide * kThumbnailSide> thumbnail{};
  // For an image with little contrast the hash of its file. Equal greys do not make two such images
  // equal: both may be white on transparency, or the blank first frame of an animation.
  FileHash file;
  friend bool operator==(const NearFeatures&, const NearFeatures&) = default;
};

// From this similarity on two images are taken to be the same. Of pairs of different photographs,
// abstract drawings and pages of text, none came above 0.82. Of clock faces and bar charts some do.
inline constexpr double kNearThreshold = 0.85;

// For a grey image that is not empty. Threads: all of these are pure functions.
// The result has no `file`.
NearFeatures near_features(const Picture& grey);

// Whether the greys alone would not make a copy of the image similar to it: by the formula of
// near_similarity() it has less than kNearThreshold with itself.
bool has_little_contrast(const NearFeatures& picture);

// The cheap test that selects pairs for near_similarity(). The bits in which the hashes differ,
// those of the 8 x 8 lowest frequencies counted four times, are at most 166 (inner) or 140 (whole).
// About one of 1500 pairs of different images passes.
bool near_candidates(const NearFeatures& a, const NearFeatures& b) noexcept;
// The same with the hashes alone, for code that tests very many pairs.
struct NearHashes {
  ImageHash whole, inner;
};
bool near_candidates(const NearHashes& a, const NearHashes& b) noexcept;

// The similarity, in [0, 1]; symmetric, and the same bits each time. One thumbnail is laid over the
// other by the affine map with the least robust squared difference (Gauss-Newton from coarse to
// fine, with brightness and contrast as two more unknowns; see align.h). It is then compared in 4 x
// 4 windows, where a and b are the greys (0 to 255) at the same place, without nine tenths of what
// a linear slope in the window explains:
//   agreement = cov(a, b) / (sqrt(var a * var b) + 0.7)
//   evidence  = m / (m + 2), m = max(var a, var b)
// The fifth of the evidence that agrees least is dropped, since it may be a watermark or a logo:
//   similarity = sum(evidence * agreement) / (sum(evidence) + 0.32)
//                * min(1, 0.4 + 0.8 * share of the thumbnail that lies over the other)
// The result is the lower value of a over b and b over a. It is at least 0, and at least what the
// published bound of PDQ gives for the inner hashes: 0.85 at 31 bits, up to 1 at 0, if both
// qualities are at least 50. Images of little contrast have little evidence, so more of it has to
// agree. Equal features have the similarity 1, even without any contrast.
double near_similarity(const NearFeatures& a, const NearFeatures& b);

}  // namespace benzer
