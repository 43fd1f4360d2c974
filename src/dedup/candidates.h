// Candidates: pairs of distinct sets that share a band and whose cut signatures are near enough.
#pragma once

#include <cstdint>
#include <vector>

#include "dedup/distinct_sets.h"
#include "dedup/sketch_pass.h"

namespace benzer {

struct CandidatePair {
  SetNumber a;  // a < b: a comes first in keep order
  SetNumber b;
  friend auto operator<=>(const CandidatePair&, const CandidatePair&) = default;
};

// Cut signatures that agree in fewer bytes than this belong to sets below the threshold: at t - 3
// standard errors a pair exactly at t is lost once in 700 times.
int least_equal_bytes(double threshold, int slots);

// Compares cut signatures of two sets.
class SignatureFilter {
 public:
  SignatureFilter(const SketchTable& table, const DistinctSets& sets,
                  const SimilarityOptions& options);
  bool passes(SetNumber a, SetNumber b) const noexcept;

 private:
  const SketchTable& table_;
  const DistinctSets& sets_;
  std::size_t slots_;
  std::uint32_t least_equal_;
  const struct Kernels& kernels_;
};

struct Candidates {
  std::vector<CandidatePair> pairs;  // sorted, each once; all passed the filter
  std::uint64_t compared = 0;        // pairs that were put to the filter, each once

  // Buckets with more sets than `large_bucket`: their pairs are not in `pairs`. Each lists its sets
  // in keep order; buckets_of[s] are the numbers of the large buckets of set s.
  std::vector<std::vector<SetNumber>> large_buckets;
  std::vector<std::vector<std::uint32_t>> buckets_of;  // empty if there is no large bucket
};

// large_bucket: 0 means no limit, every bucket is worked through pair by pair.
Candidates find_candidates(const SketchTable& table, const DistinctSets& sets,
                           const SimilarityOptions& options, std::size_t large_bucket);

}  // namespace benzer
