// Finds candidates: pairs of distinct sets that share a band key and whose cut signatures agree in
// enough slots.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "benzer/banding.h"

#include "base/big_list.h"
#include "dedup/distinct_sets.h"
#include "dedup/sketch_table.h"
#include "lsh/signature_cut.h"

namespace benzer {

struct CandidatePair {
  SetNumber a;  // a < b: a comes first in keep order
  SetNumber b;
  friend auto operator<=>(const CandidatePair&, const CandidatePair&) = default;
};

// Compares cut signatures, to drop pairs that are hardly similar.
class SignatureFilter {
 public:
  explicit SignatureFilter(const SimilarityOptions& options);
  std::size_t slots() const noexcept { return slots_; }
  bool passes(const std::uint8_t* a, const std::uint8_t* b) const noexcept;
  // Returns how many slots are equal.
  std::uint32_t equal(const std::uint8_t* a, const std::uint8_t* b) const noexcept;

  // Returns the place of the first of the signatures, from `begin` on, with which this one passes;
  // if there is none, how many they are. The signatures are contiguous.
  std::size_t next(const std::uint8_t* signature, std::span<const std::uint8_t> signatures,
                   std::size_t begin) const noexcept;

 private:
  std::size_t slots_;
  std::uint32_t least_equal_;
  const struct Kernels& kernels_;
};

struct Candidates {
  BigList<CandidatePair> pairs;  // each once, sorted; all passed the filter
  std::uint64_t compared = 0;    // pairs in buckets that are not large, once for each shared band

  // A bucket with more sets than `large_bucket`, whose pairs are not in `pairs`. Its sets are in
  // keep order.
  struct LargeBucket {
    std::size_t band;
    std::vector<SetNumber> sets;
  };
  std::vector<LargeBucket> large_buckets;  // by band

  // With containment: an anchor of a set of which too many anchors are very common, so that its
  // pairs are not in `pairs`. Both lists are in keep order.
  struct CommonAnchor {
    std::vector<SetNumber> holders;    // all sets that have the feature
    std::vector<SetNumber> anchor_of;  // of these, such sets whose anchor it is
    friend auto operator<=>(const CommonAnchor&, const CommonAnchor&) = default;
  };
  std::vector<CommonAnchor> common_anchors;
  std::optional<AnchorPlan> anchors;  // with containment: by which the pairs were found
};

// Finds the candidates of all bands. large_bucket: the most sets of a bucket whose pairs are all
// compared; 0: no limit.
Candidates find_candidates(const SketchTable& table, const DistinctSets& sets,
                           const SimilarityOptions& options, std::size_t large_bucket);

// Throws the error that large buckets do not fit into the memory limit.
[[noreturn]] void throw_too_much_boilerplate(std::uint64_t limit);

}  // namespace benzer
