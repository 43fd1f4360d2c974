// Leader clustering: one sequential pass in keep order. A document is removed if and only if a kept
// one has verified J >= t; its witness is the highest score, then the earliest in keep order.
#pragma once

#include <cstdint>
#include <vector>

#include "benzer/dedup.h"

#include "base/big_list.h"
#include "dedup/candidates.h"
#include "dedup/neighbours.h"
#include "dedup/verify_pass.h"

namespace benzer {

// What either way of clustering yields.
struct ChoiceResult {
  std::vector<Removal> removed;  // by document number
  std::vector<Link> links;       // of components: one of each of them
  std::uint64_t compared = 0;    // pairs of large buckets that were put to the signature filter
  // And those of them whose sets were compared, sorted.
  BigList<VerifiedPair> similar;
  BigList<VerifiedPair> below;  // only if they are asked for
};

ChoiceResult choose_leaders(const Corpus& corpus, const FeatureExtractor& extractor,
                            const SketchTable& table, const DistinctSets& sets,
                            const Candidates& candidates, Neighbours& neighbours,
                            const SimilarityOptions& options, bool want_below);

}  // namespace benzer
