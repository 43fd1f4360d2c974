#include "verify/feature_comparison.h"

#include <algorithm>
#include <cmath>

#include "image/near_features.h"
#include "image/sift_match.h"

namespace benzer {
namespace {

Overlap in_millionths(double score) {
  constexpr std::uint64_t kMillion = 1'000'000;
  return {static_cast<std::uint64_t>(std::llround(score * kMillion)), kMillion};
}

}  // namespace

std::optional<int> hash_distance(const HashesOfPicture& a, const HashesOfPicture& b) noexcept {
  if (a.count == 0 || b.count == 0) return std::nullopt;
  int least = distance(a.hashes[0], b.hashes[0]);
  for (std::size_t i = 1; i < static_cast<std::size_t>(a.count); ++i)
    least = std::min(least, distance(a.hashes[i], b.hashes[0]));
  for (std::size_t i = 1; i < static_cast<std::size_t>(b.count); ++i)
    least = std::min(least, distance(a.hashes[0], b.hashes[i]));
  return least;
}

Overlap overlap_of_hashes(int bits, int distance) noexcept {
  return {agreement_beyond_chance(bits, distance), static_cast<std::uint64_t>(bits)};
}

int largest_distance(int bits, const Threshold& threshold) noexcept {
  int distance = bits / 2 - 1;
  const auto reached = [&] {
    const Overlap overlap = overlap_of_hashes(bits, distance);
    return threshold.reached(overlap.intersection, overlap.set_union);
  };
  while (distance > 0 && !reached()) --distance;
  return distance;
}

Overlap overlap_of_pictures(const NearFeatures& a, const NearFeatures& b) {
  return in_millionths(near_candidates(a, b) ? near_similarity(a, b) : 0);
}

Overlap overlap_of_words(std::span<const VisualWord> a, std::span<const VisualWord> b) {
  return in_millionths(sift_similarity(a, b));
}

void FeatureComparison::load(std::span<const std::uint64_t> unique_features) {
  switch (comparison_) {
    case Comparison::kSets:
      counter_.load(unique_features);
      break;
    case Comparison::kHashes:
      hashes_ = read_hash_features(unique_features);
      if (hashes_.count == 0) counter_.load(unique_features);
      break;
    case Comparison::kPictures:
      near_ = read_near_features(unique_features);
      break;
    case Comparison::kDetails:
      words_ = read_sift_features(unique_features);
      break;
  }
}

Overlap FeatureComparison::compare(std::span<const std::uint64_t> unique_features) const {
  switch (comparison_) {
    case Comparison::kSets:
      break;
    case Comparison::kHashes:
      return compare_hashes(unique_features);
    case Comparison::kPictures:
      return overlap_of_pictures(near_, read_near_features(unique_features));
    case Comparison::kDetails:
      return overlap_of_words(words_, read_sift_features(unique_features));
  }
  return counter_.compare(unique_features);
}

// Two images without a hash are compared by their files, which are equal or have nothing in common:
// one equal feature of several is a coincidence that somebody can make.
Overlap FeatureComparison::compare_hashes(std::span<const std::uint64_t> unique_features) const {
  const HashesOfPicture other = read_hash_features(unique_features);
  if (hashes_.count == 0 && other.count == 0) {
    const Overlap files = counter_.compare(unique_features);
    return {files.intersection == files.set_union ? files.set_union : 0, files.set_union};
  }
  const auto distance = hash_distance(hashes_, other);
  return overlap_of_hashes(hash_bits_, distance.value_or(hash_bits_));
}

std::optional<Overlap> FeatureComparison::compare(std::span<const std::uint64_t> unique_features,
                                                  const Threshold& threshold) const {
  if (comparison_ == Comparison::kSets) return counter_.compare(unique_features, threshold);
  const Overlap overlap = compare(unique_features);
  if (!threshold.reached(overlap.intersection, overlap.set_union)) return std::nullopt;
  return overlap;
}

}  // namespace benzer
