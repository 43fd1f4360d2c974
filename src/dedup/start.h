// What every run does first.
#pragma once

#include "benzer/dedup.h"

namespace benzer {

// Checks the options, fills in the bands and says what they promise. Throws
// Error(kInvalidArgument).
SimilarityCounts start(SimilarityOptions& options);

}  // namespace benzer
