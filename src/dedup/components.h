// Components: whatever verified pairs connect is one cluster, of which the first document in keep
// order stays. A chain of small steps can join documents that have little in common, so every
// removal tells both its similarity with the keeper and the link by which it came in.
#pragma once

#include "dedup/leader.h"

namespace benzer {

// Large buckets are worked through family by family: two sets that are connected already are not
// compared, so that a bucket of near-copies costs one comparison each. Then these are, as long as
// that does not take much (Effort::connected).
ChoiceResult choose_components(const SketchedCorpus& sketched, const Candidates& candidates,
                               Neighbours& neighbours, const DedupOptions& options,
                               BelowSample* below);

}  // namespace benzer
