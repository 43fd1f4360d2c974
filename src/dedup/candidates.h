// Candidates: pairs of distinct sets that share a band and whose cut signatures are near enough.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/big_list.h"
#include "dedup/distinct_sets.h"
#include "dedup/sketch_table.h"

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

// Compares cut signatures.
class SignatureFilter {
 public:
  explicit SignatureFilter(const SimilarityOptions& options);
  std::size_t slots() const noexcept { return slots_; }
  bool passes(const std::uint8_t* a, const std::uint8_t* b) const noexcept;

  // Of signatures that lie one behind the other, the place of the first one from `begin` on with
  // which this one passes, or their number if there is none.
  std::size_t next(const std::uint8_t* signature, const std::vector<std::uint8_t>& signatures,
                   std::size_t begin) const noexcept;

 private:
  std::size_t slots_;
  std::uint32_t least_equal_;
  const struct Kernels& kernels_;
};

struct Candidates {
  BigList<CandidatePair> pairs;  // each once, sorted; all passed the filter
  std::uint64_t compared = 0;    // pairs that were put to the filter, once for each shared band

  // Buckets with more sets than `large_bucket`: their pairs are not in `pairs`. Each lists its sets
  // in keep order.
  struct LargeBucket {
    std::size_t band;
    std::vector<SetNumber> sets;
  };
  std::vector<LargeBucket> large_buckets;  // by band
};

// large_bucket: 0 means no limit, every bucket is worked through pair by pair.
Candidates find_candidates(const SketchTable& table, const DistinctSets& sets,
                           const SimilarityOptions& options, std::size_t large_bucket);

// The sentence for large buckets that do not fit into the limit of memory.
[[noreturn]] void throw_too_much_boilerplate(std::uint64_t limit);

}  // namespace benzer
