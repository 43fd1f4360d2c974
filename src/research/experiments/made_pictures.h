// Generates images from a seed, of several kinds that hashes treat differently.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "image/picture.h"

namespace benzer::experiments {

// Image `number` is of the kind at number % kMadeKinds.size().
inline constexpr std::array<std::string_view, 5> kMadeKinds = {"waves", "shapes", "texture", "page",
                                                               "faint"};

// A grey image of 240 to 400 pixels a side. It depends on the seed and the number only.
Picture made_picture(std::uint64_t seed, std::uint64_t number);

}  // namespace benzer::experiments
