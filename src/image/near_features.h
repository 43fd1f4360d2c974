// Writes what near.h keeps of an image as a feature set, as hash_features.h does for hashes:
// features of the two hashes (whole and inner as orientations 0 and 1), one of their qualities, and
// one for each 6 pixels of the thumbnail, and those of the file if it has its hash:
//
//   bits 0-7    the quality of whole    8-15   of inner    61   set
//   bits 0-47   the pixels, the first one lowest    48-57   their place, from 0    62   set
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "image/near.h"

namespace benzer {

void add_near_features(const NearFeatures& picture, std::vector<std::uint64_t>& out);
// Reads features that add_near_features() made, in any order.
NearFeatures read_near_features(std::span<const std::uint64_t> features) noexcept;

}  // namespace benzer
