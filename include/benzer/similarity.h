// Exact Jaccard similarity of feature sets, and the two ways to get all similar pairs of a
// collection without missing one: compare everything, or join by prefixes.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "benzer/features.h"
#include "benzer/threshold.h"

namespace benzer {

struct Overlap {
  std::uint64_t intersection = 0;
  std::uint64_t set_union = 0;
  // intersection / union; 0 for two empty sets, which are similar to nothing.
  double jaccard() const noexcept {
    return set_union == 0 ? 0.0
                          : static_cast<double>(intersection) / static_cast<double>(set_union);
  }
  friend bool operator==(const Overlap&, const Overlap&) = default;
};

Overlap overlap(const FeatureSet& a, const FeatureSet& b);

// How the similarities of fields become one score. Fields that neither document has are left out;
// where one of the two has a field, it counts 0.
enum class ScoreRule {
  kMean,  // the mean by weight
  kAll,   // the least similar field
  kAny,   // the most similar field
};

// One set, loaded into a hash table to be compared with many. Reusable: load() forgets the last.
// Threads: one object per thread.
class OverlapCounter {
 public:
  void load(std::span<const std::uint64_t> unique_features);

  // The exact overlap with another set of unique features, or nothing if it cannot reach the
  // threshold (found by sizes alone, or as soon as too many features are missing).
  std::optional<Overlap> compare(std::span<const std::uint64_t> unique_features,
                                 const Threshold& threshold) const noexcept;
  Overlap compare(std::span<const std::uint64_t> unique_features) const noexcept;
  bool contains(std::uint64_t feature) const noexcept;

 private:
  // A feature's place, by a factor that nobody outside of the process knows: features can be chosen
  // so that they meet in the lower or upper bits, and then each look-up would pass all of them.
  std::size_t place_of(std::uint64_t feature) const noexcept {
    return static_cast<std::size_t>(feature * factor_ >> shift_);
  }

  std::vector<std::uint64_t> table_ = {0, 0};  // open addressing; 0 marks a free place
  std::uint64_t factor_ = 1;
  int shift_ = 63;
  std::size_t size_ = 0;
  bool has_zero_ = false;
};

// Two documents by their numbers, a < b, whose similarity was computed: not estimated.
struct ScoredPair {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  double score = 0;
  friend bool operator==(const ScoredPair&, const ScoredPair&) = default;
  friend bool operator<(const ScoredPair& x, const ScoredPair& y) noexcept {
    return x.a != y.a ? x.a < y.a : x.b < y.b;
  }
};

// The same with its overlap, which is compared with thresholds as a fraction.
struct SimilarSets {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  Overlap overlap;
  friend bool operator==(const SimilarSets&, const SimilarSets&) = default;
};

// The exact answer by comparing every pair: the oracle of the tests and of the user who asks how
// good recall is. Cost: quadratic. Sorted by (a, b).
class BruteForce {
 public:
  explicit BruteForce(std::vector<FeatureSet> sets) : sets_(std::move(sets)) {}
  std::vector<SimilarSets> pairs(const Threshold& threshold) const;

 private:
  std::vector<FeatureSet> sets_;
};

// The exact answer by prefix filtering (Chaudhuri et al. 2006; Bayardo, Ma, Srikant 2007; Xiao et
// al. 2008): two sets that reach t share one of their n - ceil(t n) + 1 rarest features. Loses
// nothing; sorted by (a, b). Memory: all features of all sets, 12 bytes each, and an index. When
// `stop` (may be null) turns true, it throws Error(kInterrupted).
std::vector<SimilarSets> exact_join(const std::vector<FeatureSet>& sets, const Threshold& threshold,
                                    int threads, const std::atomic<bool>* stop = nullptr);

}  // namespace benzer
