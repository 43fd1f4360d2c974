// What happens to pictures on their way through the world, made here: each change by its name.
#pragma once

#include <span>
#include <string_view>

#include "image/picture.h"
#include "research/experiments/draws.h"

namespace benzer::experiments {

// What a hash should survive, what it may, and what turns it into another.
inline constexpr std::string_view kPhotometric = "photometric";
inline constexpr std::string_view kMild = "geometric-mild";
inline constexpr std::string_view kHard = "geometric-hard";

struct PictureChange {
  std::string_view name;
  std::string_view kind;
  // Of a grey picture of at least 16 x 16 pixels; draws say where, where that is open.
  Picture (*apply)(const Picture& grey, Draws& draws);
};

// All of them, by kind. There is no JPEG among them, which only files can tell.
std::span<const PictureChange> picture_changes();

}  // namespace benzer::experiments
