// Pictures made up from a seed, of several kinds that hashes take in different ways.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "image/picture.h"

namespace benzer::experiments {

// Of the picture `number` it is the one at number % kMadeKinds.size().
inline constexpr std::array<std::string_view, 5> kMadeKinds = {"waves", "shapes", "texture", "page",
                                                               "faint"};

// Grey, 240 to 400 pixels a side: the same for the same seed, whatever was made before.
Picture made_picture(std::uint64_t seed, std::uint64_t number);

}  // namespace benzer::experiments
