// Checks and completes the options of a run, which is the first step of every run.
#pragma once

#include "benzer/dedup.h"

namespace benzer {

// Checks the options, fills in the bands, and returns counts with the configuration and the recall
// that it promises. Throws Error(kInvalidArgument).
SimilarityCounts complete_options(SimilarityOptions& options);

}  // namespace benzer
