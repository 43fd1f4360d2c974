// Derives the features by which passages see the words of a text.
#pragma once

#include <cstdint>

#include "benzer/config.h"

#include "base/random_seed.h"

namespace benzer {

// Returns the features whose numbers are single words. The seed must be secret, so that nobody can
// make words that seem equal. Throws Error(kInvalidArgument) for features that are not words.
FeatureSpec single_words(const FeatureSpec& features, std::uint64_t seed = random_seed());

}  // namespace benzer
