// A pair of distinct sets with its score.
#pragma once

#include <cstddef>

#include "dedup/distinct_sets.h"

namespace benzer {

// A pair of sets that was compared, a < b, and its exact similarity.
struct VerifiedPair {
  SetNumber a;
  SetNumber b;
  double score;
  bool operator<(const VerifiedPair& other) const noexcept {
    return a != other.a ? a < other.a : b < other.b;
  }
};

// Lists of pairs that are handed over go to temporary files beyond this, with a limit of memory or
// without.
inline constexpr std::size_t kMostListBytes = std::size_t{64} << 20;

}  // namespace benzer
