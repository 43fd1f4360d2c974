// Compares the features of two documents by their kind: sets by Jaccard similarity, hashes of
// images by the bits that agree beyond chance, image:near by laying one image over the other,
// image:sift by the details that are in the same places.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "benzer/config.h"
#include "benzer/similarity.h"

#include "image/hash_features.h"
#include "image/near.h"
#include "image/sift_features.h"

namespace benzer {

// Returns the distance of two images by their hashes: the smallest between one as it is and any
// orientation of the other that has a hash. Nothing if one of them has no hash.
std::optional<int> hash_distance(const HashesOfPicture& a, const HashesOfPicture& b) noexcept;

// Returns the overlap of two hashes: of all bits those that agree beyond chance.
Overlap overlap_of_hashes(int bits, int distance) noexcept;
// Returns the overlap for image:near: the score in millionths; 0 if the hashes of the images
// already differ too much.
Overlap overlap_of_pictures(const NearFeatures& a, const NearFeatures& b);
// Returns the overlap for image:sift: the score in millionths.
Overlap overlap_of_words(std::span<const VisualWord> a, std::span<const VisualWord> b);
// Returns the largest distance whose score reaches the threshold.
int largest_distance(int bits, const Threshold& threshold) noexcept;

// Compares one document, which is loaded, with many others. load() replaces the one before. The
// score is the quotient of the overlap. Threads: one object per thread.
class FeatureComparison {
 public:
  // Only sets without weights have containment.
  explicit FeatureComparison(const FeatureSpec& spec, Measure measure = Measure::kJaccard)
      : comparison_(spec.comparison()),
        hash_bits_(spec.hash_bits()),
        counter_(weighting_of(spec), measure) {}

  void load(std::span<const std::uint64_t> unique_features);
  Overlap compare(std::span<const std::uint64_t> unique_features) const;
  // Returns nothing if the threshold is not reached.
  std::optional<Overlap> compare(std::span<const std::uint64_t> unique_features,
                                 const Threshold& threshold) const;

 private:
  Overlap compare_hashes(std::span<const std::uint64_t> unique_features) const;

  Comparison comparison_;
  int hash_bits_;  // 0: the features are not hashes
  HashesOfPicture hashes_;
  NearFeatures near_;
  std::vector<VisualWord> words_;
  OverlapCounter counter_;
};

}  // namespace benzer
