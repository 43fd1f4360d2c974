// Leader clustering: one sequential pass in keep order. A document is removed if and only if a kept
// one has verified J >= t; its keeper is the highest score, then the earliest in keep order.
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
  std::uint64_t cut_short = 0;   // sets that were not compared with all that were near enough
  std::uint64_t confirmed = 0;   // of these, the pairs that are similar
  BigList<ScoredPair> similar;   // the same, sorted; leaders: only if they are asked for
};

// below: takes the pairs that were compared and are not similar, or null.
ChoiceResult choose_leaders(const SketchedCorpus& sketched, const Candidates& candidates,
                            Neighbours& neighbours, const DedupOptions& options,
                            BelowSample* below);

}  // namespace benzer
