// Where one picture lies in another, for image:sift: what differs pixel by pixel says nothing of a
// part, or of a picture that is turned.
#pragma once

#include <optional>
#include <span>

#include "image/picture.h"
#include "image/sift_features.h"

namespace benzer::report {

struct LaidOver {
  // The one that shows more, dark, and the other one bright where it lies in it.
  Picture picture;
  // What the other one shows of each, by area.
  double share_of_a = 0;
  double share_of_b = 0;
};

// Of grey pictures that are not empty, with their words. Nothing: too few of their details lie in
// the same places. Threads: a pure function.
std::optional<LaidOver> laid_over(const Picture& a, std::span<const VisualWord> words_a,
                                  const Picture& b, std::span<const VisualWord> words_b);

}  // namespace benzer::report
