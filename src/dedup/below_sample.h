// Keeps some of the pairs that a run has compared and that are below the threshold: a sample, and
// the nearest ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "benzer/dedup.h"

#include "dedup/distinct_sets.h"

namespace benzer {

// The result does not depend on the order in which pairs are added, nor on how often: the hash of a
// pair decides whether it is in the sample. Memory: 12 MiB.
class BelowSample {
 public:
  explicit BelowSample(const DistinctSets& sets) : sets_(sets) {}

  void add(const ScoredPair& pair);
  // Records that from now on only pairs that may be similar are compared.
  void mark_incomplete() noexcept { complete_ = false; }

  PairsBelow finish();

 private:
  void thin_out();
  void keep_nearest();

  const DistinctSets& sets_;
  std::vector<ScoredPair> sample_;   // pairs that are sampled at level_, with repeats
  int level_ = 0;                    // the first level_ bits of a sampled pair's hash are 0
  std::vector<ScoredPair> nearest_;  // up to twice as many as are wanted, with repeats
  double least_ = 0;                 // pairs with a lower score are not among the nearest
  bool complete_ = true;
};

}  // namespace benzer
