// All pairs of pictures that are near: in place of candidates by bands and verification, since what
// is kept of a picture is all there is to compare.
#pragma once

#include <cstdint>

#include "benzer/dedup.h"

#include "dedup/verify_pass.h"

namespace benzer {

struct PicturePairs {
  BigList<Neighbour> neighbours;  // of the similar pairs, sorted
  std::uint64_t compared = 0;     // pairs that were near enough to be looked at
};

// For features that are no set. Of hashes misses none (verify/hash_index.h). Of image:near every
// pair is looked at, which takes 5 to 10 ns, and some 0.7 ms where it may be one: a few in 10,000.
// Of image:sift those with enough words in common (verify/word_index.h). Pairs of references, and
// of documents of different groups, are left out. below: takes those that are somewhat farther
// apart than the threshold allows, or null.
PicturePairs join_pictures(const SketchTable& table, const DistinctSets& sets,
                           const SimilarityOptions& options, BelowSample* below);

}  // namespace benzer
