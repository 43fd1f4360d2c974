// Chooses by leader clustering: one sequential pass in keep order. A document is removed if and
// only if a kept one is similar to it, which was verified; with containment, if a kept one contains
// the share t of its features. Its keeper is the one with the highest score, then the earliest in
// keep order.
#pragma once

#include <cstdint>
#include <vector>

#include "benzer/dedup.h"

#include "base/big_list.h"
#include "dedup/candidates.h"
#include "dedup/neighbours.h"
#include "dedup/verify_pass.h"

namespace benzer {

// The result of either way of clustering.
struct ChoiceResult {
  std::vector<Removal> removed;  // by document number
  std::vector<Link> links;       // components only: one for each removal
  std::uint64_t compared = 0;    // candidate pairs of large buckets
  std::uint64_t cut_short = 0;   // sets that were not compared with all that were near enough
  std::uint64_t confirmed = 0;   // of the compared pairs, those that are similar
  BigList<ScoredPair> similar;   // these, sorted; for leaders only if the options collect pairs
};

// below: receives the pairs that were compared and are not similar; may be null.
ChoiceResult choose_leaders(const SketchedCorpus& sketched, const Candidates& candidates,
                            Neighbours& neighbours, const DedupOptions& options,
                            BelowSample* below);

}  // namespace benzer
