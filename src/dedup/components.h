// Chooses by components: all documents that verified pairs connect are one cluster, of which the
// first in keep order is kept. A chain of small steps can join documents that have little in
// common, so every removal has both its similarity with the keeper and its link to the cluster.
#pragma once

#include "dedup/leader.h"

namespace benzer {

// In large buckets, two sets that are connected already are not compared at first, so that a bucket
// of near-copies costs one comparison for each set. Afterwards they are compared, too, up to a
// certain amount of work (Effort::connected).
ChoiceResult choose_components(const SketchedCorpus& sketched, const Candidates& candidates,
                               Neighbours& neighbours, const DedupOptions& options,
                               BelowSample* below);

}  // namespace benzer
