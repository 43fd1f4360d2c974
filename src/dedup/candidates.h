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

// How many bytes of two cut signatures must agree for the pair to be worth an exact comparison.
struct SignatureCut {
  int least_equal = 0;
  double loss = 0;  // upper bound of the probability that a pair exactly at the threshold has fewer
};

// The agreeing slots of a pair at the threshold t follow at worst a binomial distribution. At t =
// 0.8 and 128 slots the cut lies 4 standard errors below t; near 1, where the distribution is
// skewed, a fixed number of standard errors would lose far more than it says.
SignatureCut signature_cut(double threshold, int slots, double allowed_loss);

// What the cut may lose of the misses that a recall allows: a hundredth.
double allowed_loss(double recall) noexcept;

// Compares cut signatures of two sets.
class SignatureFilter {
 public:
  SignatureFilter(const SketchTable& table, const DistinctSets& sets,
                  const SimilarityOptions& options);
  bool passes(SetNumber a, SetNumber b) const noexcept;

  // Signatures that lie one behind the other: adds that of a set; the place of the first one from
  // `begin` on with which the set passes, or their number if there is none.
  void append(SetNumber set, std::vector<std::uint8_t>& signatures) const;
  std::size_t next(SetNumber set, const std::vector<std::uint8_t>& signatures,
                   std::size_t begin) const noexcept;

 private:
  const SketchTable& table_;
  const DistinctSets& sets_;
  std::size_t slots_;
  std::uint32_t least_equal_;
  const struct Kernels& kernels_;
};

struct Candidates {
  std::vector<CandidatePair> pairs;  // each once, in no order; all passed the filter
  std::uint64_t compared = 0;        // pairs that were put to the filter

  // Buckets with more sets than `large_bucket`: their pairs are not in `pairs`. Each lists its sets
  // in keep order; buckets_of[s] are the numbers of the large buckets of set s.
  struct LargeBucket {
    std::size_t band;
    std::vector<SetNumber> sets;
  };
  std::vector<LargeBucket> large_buckets;              // by band
  std::vector<std::vector<std::uint32_t>> buckets_of;  // empty if there is no large bucket
};

// Do two documents share a band before this one? A pair belongs to the first band that it shares.
bool shares_earlier_band(const SketchTable& table, std::uint32_t a, std::uint32_t b,
                         std::size_t band) noexcept;

// large_bucket: 0 means no limit, every bucket is worked through pair by pair.
Candidates find_candidates(const SketchTable& table, const DistinctSets& sets,
                           const SimilarityOptions& options, std::size_t large_bucket);

}  // namespace benzer
