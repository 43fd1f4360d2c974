// Where one picture lies in another, for image:sift: what differs pixel by pixel says nothing of a
// part, or of a picture that is turned.
#pragma once

#include <optional>

#include "image/picture.h"

namespace benzer::report {

struct LaidOver {
  // The one that shows more, dark, and the other one bright where it lies in it.
  Picture picture;
  // What the other one shows of each, by area.
  double share_of_a = 0;
  double share_of_b = 0;
};

// Of grey pictures that are not empty. Nothing: too few of their details lie in the same places.
// Cost: some 40 ms. Threads: a pure function.
std::optional<LaidOver> laid_over(const Picture& a, const Picture& b);

}  // namespace benzer::report
