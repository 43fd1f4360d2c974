// How similar two documents are, exactly: thresholds as fractions, overlaps and Jaccard similarity,
// the two ways to get all similar pairs without missing one, and the distance of picture hashes.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "benzer/config.h"
#include "benzer/features.h"

namespace benzer {

// A similarity threshold as the exact decimal that the user wrote.
//
// 0.8 has no exact double; comparing a rounded quotient with a rounded threshold gets pairs exactly
// on the line wrong (4 of 5 shingles shared must reach 0.8). So a threshold is a fraction of
// integers, and every comparison is one of integers, exact for all set sizes below 2^53.
class Threshold {
 public:
  // Reads a decimal in (0, 1] with at most 17 digits after the point, such as "0.8", ".75" or "1".
  // Throws Error(kInvalidArgument) for anything else, NaN, zero and signs included.
  static Threshold parse(std::string_view decimal);
  // The shortest decimal that reads as this double: 0.7 is seven tenths.
  Threshold(
      double value);  // NOLINT(google-explicit-constructor): thresholds are written as numbers

  // Is intersection / union >= threshold? Two empty sets (union 0) never reach it.
  bool reached(std::uint64_t intersection, std::uint64_t set_union) const noexcept;

  // The smallest intersection with which two sets of these sizes reach the threshold; more than
  // min(a, b) when no intersection suffices.
  std::uint64_t needed_intersection(std::uint64_t size_a, std::uint64_t size_b) const noexcept;

  // The nearest double, for planning and for printing beside scores. Never used to decide.
  double value() const noexcept;

  // The decimal as it was written, without superfluous zeros: "0.8".
  std::string str() const;

  // Of the fraction that it is, not reduced; the denominator is a power of ten.
  std::uint64_t numerator() const noexcept { return numerator_; }
  std::uint64_t denominator() const noexcept { return denominator_; }

  friend bool operator==(const Threshold&, const Threshold&) = default;

 private:
  Threshold(std::uint64_t numerator, std::uint64_t denominator)
      : numerator_(numerator), denominator_(denominator) {}

  std::uint64_t numerator_;  // both at most 10^17; the denominator is a power of ten
  std::uint64_t denominator_;
};

// Exact Jaccard similarity of feature sets, and the two ways to get all similar pairs of a
// collection without missing one: compare everything, or join by prefixes.
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

// Pictures as fields of documents: how their hashes are compared.
//
// Two hashes are as far apart as they have different bits. The score that everything else works
// with is (bits - 2 distance) / bits, and 0 where that is negative: hashes of strangers agree in
// half of their bits, which is no resemblance. So a distance and a threshold say the same thing,
// and no rounding lies between them. The score of image:near is how well two small pictures agree
// where they are laid over each other, that of image:sift how many details lie in the same places
// (src/image/near.h and sift_match.h have the formulas).

// The threshold that pictures within this distance reach. Throws Error(kInvalidArgument) for
// features that are no hash, and a distance that is not from 0 to largest_distance().
Threshold threshold_of_distance(const FeatureSpec& features, int distance);
// The largest distance whose score reaches the threshold.
int distance_of_threshold(const FeatureSpec& features, const Threshold& threshold);
// Of a score that was computed; nothing if it is 0, which any larger distance has.
std::optional<int> distance_of_score(const FeatureSpec& features, double score) noexcept;

// The largest distance with a score above 0.
int largest_distance(const FeatureSpec& features) noexcept;
// What is taken where nothing else is said: 31 of 256 bits for image:pdq, as its authors advise;
// for hashes of 64 bits 6.
int usual_distance(const FeatureSpec& features) noexcept;
// The threshold that is taken where nothing else is said: of hashes that of the usual distance, of
// image:near 0.85, of image:sift 0.12, else 0.8.
Threshold usual_threshold(const FeatureSpec& features);

}  // namespace benzer
