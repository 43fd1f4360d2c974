// What every run does first: the options of a run, checked and whole.
#pragma once

#include "benzer/dedup.h"

namespace benzer {

// Checks the options, fills in the bands and says what they promise. Throws
// Error(kInvalidArgument).
SimilarityCounts complete_options(SimilarityOptions& options);

}  // namespace benzer
