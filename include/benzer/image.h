// Pictures as fields of documents: how their hashes are compared.
//
// Two hashes are as far apart as they have different bits. The score that everything else works
// with is (bits - 2 distance) / bits, and 0 where that is negative: hashes of strangers agree in
// half of their bits, which is no resemblance. So a distance and a threshold say the same thing,
// and no rounding lies between them. The score of image:near is how well two small pictures agree
// where they are laid over each other, that of image:sift how many details lie in the same places
// (src/image/near.h and sift_match.h have the formulas).
#pragma once

#include <optional>

#include "benzer/config.h"
#include "benzer/threshold.h"

namespace benzer {

// The threshold that pictures within this distance reach. Throws Error(kInvalidArgument) for
// features that are no hash, and a distance that is not from 0 to largest_distance().
Threshold threshold_of_distance(const FeatureSpec& features, int distance);
// The largest distance whose score reaches the threshold.
int distance_of_threshold(const FeatureSpec& features, const Threshold& threshold);
// Of a score that was computed; nothing if it is 0, which any larger distance has.
std::optional<int> distance_of_score(const FeatureSpec& features, double score) noexcept;

// The largest distance with a score above 0.
int largest_distance(const FeatureSpec& features) noexcept;
// What is taken where nothing else is said: 31 of 256 bits for image:pdq, as its authors advise;
// for hashes of 64 bits 6.
int usual_distance(const FeatureSpec& features) noexcept;
// The threshold that is taken where nothing else is said: of hashes that of the usual distance, of
// image:near 0.85, of image:sift 0.12, else 0.8.
Threshold usual_threshold(const FeatureSpec& features);

}  // namespace benzer
