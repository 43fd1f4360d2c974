// Collects the different features of a document that are given some at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "benzer/features.h"

#include "base/secret.h"

namespace benzer::internal {

// Cost: a few ns per feature. Memory: 8 bytes for each different feature, however often it is
// repeated, and up to 32 more for a table unless one small add() gives all of them.
class UniqueFeatures {
 public:
  void add(std::span<const std::uint64_t> features);
  FeatureSet take();

 private:
  void make_table(std::size_t features);
  void insert(std::span<const std::uint64_t> features);
  // Returns the slot in which the feature is or may be put.
  std::uint64_t& slot(std::uint64_t feature) noexcept;

  FeatureSet set_;
  std::vector<std::uint64_t> table_;  // of a power of two slots; 0: empty
  SecretPlaces place_of_;
  bool has_zero_ = false;
};

}  // namespace benzer::internal
