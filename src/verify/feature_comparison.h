// How alike the features of two documents are, by what they are: sets by Jaccard similarity, hashes
// of pictures by the bits that agree beyond chance, image:near by laying pictures over each other,
// image:sift by the details that lie in the same places.
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

// The distance of two pictures by their hashes: the smallest between one as it is and any
// orientation of the other that is known. Nothing if one of them has no hash.
std::optional<int> hash_distance(const HashesOfPicture& a, const HashesOfPicture& b) noexcept;

// Of hashes: the bits that agree beyond chance, of all.
Overlap overlap_of_hashes(int bits, int distance) noexcept;
// Of image:near: the score in millionths. 0 where the hashes do not even suggest a resemblance.
Overlap overlap_of_pictures(const NearFeatures& a, const NearFeatures& b);
// Of image:sift, the same.
Overlap overlap_of_words(std::span<const VisualWord> a, std::span<const VisualWord> b);
// The largest distance whose score reaches the threshold.
int largest_distance(int bits, const Threshold& threshold) noexcept;

// One document, loaded to be compared with many. Reusable: load() forgets the last. The score is
// the quotient of the overlap. Threads: one object per thread.
class FeatureComparison {
 public:
  explicit FeatureComparison(const FeatureSpec& spec)
      : comparison_(spec.comparison()), hash_bits_(spec.hash_bits()) {}

  void load(std::span<const std::uint64_t> unique_features);
  Overlap compare(std::span<const std::uint64_t> unique_features) const;
  // Nothing if the threshold is not reached.
  std::optional<Overlap> compare(std::span<const std::uint64_t> unique_features,
                                 const Threshold& threshold) const;

 private:
  Overlap compare_hashes(std::span<const std::uint64_t> unique_features) const;

  Comparison comparison_;
  int hash_bits_;  // 0: no hashes
  HashesOfPicture hashes_;
  NearFeatures near_;
  std::vector<VisualWord> words_;
  OverlapCounter counter_;
};

}  // namespace benzer
