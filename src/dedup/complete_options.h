// Checks and completes the options of a run, which is the first step of every run.
#pragma once

#include "benzer/dedup.h"

namespace benzer {

// Checks the options, fills in the bands, and returns counts with the configuration, the anchors
// and the recall that they promise. is_exact: no anchors are needed. Throws
// Error(kInvalidArgument).
SimilarityCounts complete_options(SimilarityOptions& options, bool is_exact = false);

// Throws Error(kInvalidArgument) if containment is asked for. what: the beginning of a sentence
// about what has no containment, such as "a forecast".
void refuse_containment(const SimilarityOptions& options, const char* what);

}  // namespace benzer
