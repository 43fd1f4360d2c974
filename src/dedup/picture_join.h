// Finds similar pairs of images. It takes the place of candidates by bands and of verification,
// since the features of an image that are in memory are all that is compared.
#pragma once

#include <cstdint>

#include "benzer/dedup.h"

#include "dedup/verify_pass.h"

namespace benzer {

struct PicturePairs {
  BigList<Neighbour> neighbours;  // of the similar pairs, sorted
  std::uint64_t compared = 0;     // pairs that were scored, and were similar or near the threshold
};

// Which similar pairs are found: all, or as many as choose_leaders() needs. For leaders each set is
// compared with all kept ones, and with all others as long as clusters are small. When a kept set
// is similar to 64 others already, further ones that are similar to it are compared with kept sets
// only, and later sets only with them if these are kept and they have copies. So a cluster of n
// near-copies costs some n comparisons, and not n * n / 2.
enum class PicturesCompared { kAll, kForLeaders };

// Joins features that are compared as they are. For hashes it misses no pair (verify/hash_index.h).
// For image:near it checks the hashes of every pair, which takes 5 to 10 ns, and compares those
// that may be similar, a few in 10,000, which takes some 0.7 ms. For image:sift it compares the
// pairs with enough words in common (verify/word_index.h). Pairs of references, and of documents of
// different groups, are left out. The result depends neither on threads nor on the CPU level.
// below: receives pairs that are somewhat below the threshold; may be null.
PicturePairs join_pictures(const SketchTable& table, const DistinctSets& sets,
                           const SimilarityOptions& options, PicturesCompared which,
                           BelowSample* below);

}  // namespace benzer
