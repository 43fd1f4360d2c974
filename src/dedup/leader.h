// Leader clustering: one sequential pass in keep order. A document is removed if and only if a kept
// one has verified J >= t; its witness is the highest score, then the earliest in keep order.
#pragma once

#include <cstdint>
#include <vector>

#include "benzer/dedup.h"

#include "dedup/candidates.h"
#include "dedup/neighbours.h"
#include "dedup/verify_pass.h"

namespace benzer {

// What either way of clustering yields.
struct ChoiceResult {
  std::vector<Removal> removed;  // by document number
  std::uint64_t compared = 0;    // pairs of large buckets that were put to the signature filter
  Verified verified;             // and those of them whose sets were compared, in no order
};

ChoiceResult choose_leaders(const Corpus& corpus, const FeatureExtractor& extractor,
                            const SketchTable& table, const DistinctSets& sets,
                            const Candidates& candidates, const Neighbours& neighbours,
                            const SimilarityOptions& options, bool want_below);

}  // namespace benzer
