// Leader clustering: one sequential pass in keep order. A document is removed if and only if a kept
// one has verified J >= t; its witness is the highest score, then the earliest in keep order.
#pragma once

#include <cstdint>
#include <vector>

#include "benzer/dedup.h"

#include "dedup/candidates.h"
#include "dedup/verify_pass.h"

namespace benzer {

struct LeaderResult {
  std::vector<Removal> removed;      // by document number
  std::uint64_t compared = 0;        // pairs of large buckets that were put to the signature filter
  std::uint64_t verified_pairs = 0;  // and those of them that were confirmed
};

LeaderResult choose_leaders(const Corpus& corpus, const FeatureExtractor& extractor,
                            const SketchTable& table, const DistinctSets& sets,
                            const Candidates& candidates, std::vector<VerifiedPair> verified,
                            const SimilarityOptions& options);

}  // namespace benzer
