// Defines, by name, the changes that images commonly undergo before they are found again.
#pragma once

#include <span>
#include <string_view>

#include "image/picture.h"
#include "research/experiments/draws.h"

namespace benzer::experiments {

// The kinds of changes: those that a hash should survive, those that it may survive, and those that
// usually give another hash.
inline constexpr std::string_view kPhotometric = "photometric";
inline constexpr std::string_view kMild = "geometric-mild";
inline constexpr std::string_view kHard = "geometric-hard";

struct PictureChange {
  std::string_view name;
  std::string_view kind;
  // Changes a grey image of at least 16 x 16 pixels. `draws` makes the random choices, such as a
  // place.
  Picture (*apply)(const Picture& grey, Draws& draws);
};

// All changes, by kind. JPEG compression is not among them; only experiments on files include it.
std::span<const PictureChange> picture_changes();

}  // namespace benzer::experiments
