// What a run keeps of the pairs that it compared and that are below the threshold: of millions of
// them a sample, and the nearest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "benzer/dedup.h"

#include "dedup/distinct_sets.h"

namespace benzer {

// The same pairs, in whatever order and however often they are added, give the same: a pair is in
// the sample by its hash. Memory: 12 MiB.
class BelowSample {
 public:
  explicit BelowSample(const DistinctSets& sets) : sets_(sets) {}

  void add(const ScoredPair& pair);
  // From now on only pairs that may be similar are compared.
  void mark_incomplete() noexcept { complete_ = false; }

  PairsBelow finish();

 private:
  void thin_out();
  void keep_nearest();

  const DistinctSets& sets_;
  std::vector<ScoredPair> sample_;   // by hash at this level, with repeats
  int level_ = 0;                    // so many first bits of a hash must be 0
  std::vector<ScoredPair> nearest_;  // twice as many as are wanted at most, with repeats
  double least_ = 0;                 // a lower score is not among the nearest
  bool complete_ = true;
};

}  // namespace benzer
