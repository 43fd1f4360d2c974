// Candidates: pairs of distinct sets that share a band and whose cut signatures are near enough.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/big_list.h"
#include "dedup/distinct_sets.h"
#include "dedup/sketch_table.h"
#include "verify/signature_cut.h"

namespace benzer {

struct CandidatePair {
  SetNumber a;  // a < b: a comes first in keep order
  SetNumber b;
  friend auto operator<=>(const CandidatePair&, const CandidatePair&) = default;
};

// Compares cut signatures.
class SignatureFilter {
 public:
  explicit SignatureFilter(const SimilarityOptions& options);
  std::size_t slots() const noexcept { return slots_; }
  bool passes(const std::uint8_t* a, const std::uint8_t* b) const noexcept;
  // How many slots are equal.
  std::uint32_t equal(const std::uint8_t* a, const std::uint8_t* b) const noexcept;

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
