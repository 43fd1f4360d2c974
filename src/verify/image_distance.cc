#include <cmath>

#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/similarity.h"

#include "image/sift_match.h"
#include "verify/feature_comparison.h"

namespace benzer {

int largest_distance(const FeatureSpec& features) noexcept { return features.hash_bits() / 2 - 1; }

int usual_distance(const FeatureSpec& features) noexcept {
  return features.hash_bits() == 256 ? 31 : 6;
}

Threshold usual_threshold(const FeatureSpec& features) {
  switch (features.comparison()) {
    case Comparison::kSets:
      break;
    case Comparison::kHashes:
      return threshold_of_distance(features, usual_distance(features));
    case Comparison::kPictures:
      return Threshold(kNearThreshold);
    case Comparison::kDetails:
      return Threshold(kSiftThreshold);
  }
  return Threshold::parse("0.8");
}

Threshold threshold_of_distance(const FeatureSpec& features, int distance) {
  const int bits = features.hash_bits();
  if (bits == 0)
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("the features {} are not a hash, and have no distance", features.str()),
                "give a threshold", ": ");
  if (distance < 0 || distance > largest_distance(features))
    throw Error(ErrorCode::kInvalidArgument, Subject::parameter("distance"),
                fmt::format("the distance {} of {} is not allowed", distance, features.str()),
                fmt::format("give 0 to {}", largest_distance(features)), ": ");
  // A multiple of 1/32 or 1/128, which 7 decimals give exactly.
  return Threshold::parse(
      fmt::format("{:.7f}", static_cast<double>(bits - 2 * distance) / static_cast<double>(bits)));
}

int distance_of_threshold(const FeatureSpec& features, const Threshold& threshold) {
  return largest_distance(features.hash_bits(), threshold);
}

std::optional<int> distance_of_score(const FeatureSpec& features, double score) noexcept {
  const int bits = features.hash_bits();
  if (bits == 0 || score <= 0) return std::nullopt;
  return static_cast<int>(std::lround((1 - score) * bits / 2));
}

}  // namespace benzer
