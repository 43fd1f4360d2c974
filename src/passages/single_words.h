// Derives the features by which passages see the words of a text.
#pragma once

#include "benzer/config.h"

namespace benzer {

// Returns the features whose numbers are single words. Their seed is secret, so nobody can make
// words that seem equal. Throws Error(kInvalidArgument) for features that are not words.
FeatureSpec single_words(const FeatureSpec& features);

}  // namespace benzer
