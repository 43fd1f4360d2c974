// Counts exactly how many features a set shares with each set of a sample, with an inverted index.
// With weights it adds up the smaller of the two weights of each of these features.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "benzer/similarity.h"

#include "base/secret.h"

namespace benzer {

// Memory: about 40 bytes per different feature; with weights 30, and 8 for each feature of each
// set. Threads: immutable; one SharedCounter per thread.
class SampleIndex {
 public:
  // No set may have a feature twice.
  explicit SampleIndex(std::span<const std::span<const std::uint64_t>> sets,
                       Weighting weighting = Weighting::kNone);

  std::size_t sets() const noexcept { return sets_; }

 private:
  friend class SharedCounter;
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // A set that has a feature, and the code of its weight there.
  struct Owner {
    std::uint32_t set;
    std::uint32_t weight;
  };

  std::uint32_t find(std::uint64_t feature) const noexcept;  // its number, or kNone
  std::span<const std::uint32_t> list(std::uint32_t number) const noexcept;
  void build_lists(std::span<const std::span<const std::uint64_t>> sets);
  void build_owners(std::span<const std::span<const std::uint64_t>> sets);

  std::size_t sets_ = 0;
  std::uint64_t mask_;               // of the bits that are not a weight
  std::vector<std::uint64_t> seen_;  // a bitmap that rules out most features that no set has
  SecretPlaces place_of_;
  std::vector<std::uint64_t> table_;    // open addressing, at most half full
  std::vector<std::uint32_t> numbers_;  // of the features in table_; kNone: a free place
  std::uint32_t features_ = 0;

  // Features that the same sets have share a list: a passage that a hundred sampled texts have is
  // counted once and added a hundred times, not once a shingle. List i < sets() is {i} itself.
  std::vector<std::uint32_t> list_of_;  // of each feature's number
  std::vector<std::uint32_t> begins_;   // of the lists in members_
  std::vector<std::uint32_t> members_;

  // With weights, in place of the lists: the sets of feature i are owners_[owned_from_[i]] to
  // owners_[owned_from_[i + 1]].
  std::vector<std::size_t> owned_from_;
  std::vector<Owner> owners_;
};

// Counts for one set after another.
class SharedCounter {
 public:
  explicit SharedCounter(const SampleIndex& index);

  // The sampled sets that share at least one feature with this one, whose features may repeat.
  // Valid until the next call.
  std::span<const std::uint32_t> count(std::span<const std::uint64_t> features);
  // How many different features a set of the last count() shares, or the smaller of their weights
  // together, in millionths.
  std::uint64_t shared(std::uint32_t set) const noexcept { return shared_[set]; }

 private:
  void begin_round();
  void add_weights(std::span<const std::uint64_t> features);
  void add_counts(std::span<const std::uint64_t> features);

  const SampleIndex& index_;
  std::vector<std::uint32_t> round_of_;  // of each feature: the round that saw it last
  std::uint32_t round_ = 0;
  std::vector<std::uint32_t> in_list_;  // features of this set, by list
  std::vector<std::uint32_t> lists_;    // with features of this set
  std::vector<std::uint64_t> shared_;
  std::vector<std::uint32_t> touched_;
};

}  // namespace benzer
