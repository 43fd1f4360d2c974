// Chooses the anchors of a set: features that are looked up in other sets, to find those that
// contain it (Measure::kContainment; docs/decisions/0037).
//
// The anchors are the features that are lowest by a hash, a bottom-k sketch (Cohen and Kaplan 2007)
// of this set alone. So each of them is as likely as any other feature to be in a given other set,
// however large that one is. The rarest features of a set would not do: what a set alone has is
// exactly what is missing in the other one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "benzer/banding.h"
#include "benzer/similarity.h"

#include "base/splitmix.h"

namespace benzer {

// Threads: one object per thread.
class AnchorPicker {
 public:
  // seed: that of the features. The same features and seed have the same anchors in every run.
  AnchorPicker(int anchors, std::uint64_t seed)
      : most_(static_cast<std::size_t>(anchors)), key_(splitmix64(seed ^ kPurpose)) {}

  // Starts another set.
  void clear() noexcept { lowest_.clear(); }
  // Adds features of the set, which may repeat. Cost: a hash for each, and an insertion for the few
  // that are among the lowest so far.
  void add(std::span<const std::uint64_t> features);
  // Calls visit(feature) for each anchor of the set: all features if there are no more than
  // anchors.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const Ranked& one : lowest_) visit(one.feature);
  }
  bool contains(std::uint64_t feature) const noexcept;
  std::size_t size() const noexcept { return lowest_.size(); }

 private:
  // Tells these hashes from all others that are made of the seed.
  static constexpr std::uint64_t kPurpose = 0x616E63686F727321;

  struct Ranked {
    std::uint64_t hash;
    std::uint64_t feature;
  };
  std::uint64_t hash_of(std::uint64_t feature) const noexcept { return splitmix64(feature ^ key_); }

  std::size_t most_;
  std::uint64_t key_;
  std::vector<Ranked> lowest_;  // by hash
};

// How many anchors of a set another one must have to be a candidate.
class NeededAnchors {
 public:
  NeededAnchors(const AnchorPlan& plan, const Threshold& threshold)
      : plan_(plan), threshold_(threshold) {}

  std::size_t anchors(std::uint32_t size) const noexcept {
    return std::min<std::size_t>(size, static_cast<std::size_t>(plan_.anchors));
  }
  // If all features are anchors, their number decides, and nothing is left to chance.
  std::uint32_t needed(std::uint32_t size) const noexcept {
    return size <= static_cast<std::uint32_t>(plan_.anchors)
               ? static_cast<std::uint32_t>(
                     threshold_.needed_intersection(size, size, Measure::kContainment))
               : static_cast<std::uint32_t>(plan_.needed);
  }

 private:
  AnchorPlan plan_;
  Threshold threshold_;
};

}  // namespace benzer
