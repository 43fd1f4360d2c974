// Shows where one image is in another, for image:sift: a difference pixel by pixel says nothing
// about a part of an image, or one that is turned.
#pragma once

#include <optional>
#include <span>

#include "image/picture.h"
#include "image/sift_features.h"

namespace benzer::report {

struct LaidOver {
  // The image that shows more, darkened, with the other one at its place in it, as bright as it is.
  Picture picture;
  // The shares of the areas of a and b that the other image shows.
  double share_of_a = 0;
  double share_of_b = 0;
};

// Takes grey images that are not empty, and their visual words. Returns nothing if too few of their
// details are in the same places. Threads: a pure function.
std::optional<LaidOver> laid_over(const Picture& a, std::span<const VisualWord> words_a,
                                  const Picture& b, std::span<const VisualWord> words_b);

}  // namespace benzer::report
