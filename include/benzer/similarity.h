// Computes exactly how similar two documents are: thresholds as fractions, overlaps and Jaccard
// similarity, two ways to find all similar pairs without missing one, and the distance of image
// hashes.
//
//     const std::vector<std::uint64_t> one = {1, 2, 3, 4}, other = {2, 3, 4, 5};
//     const benzer::FeatureSet a(one), b(other);
//     const benzer::Overlap common = benzer::overlap(a, b);  // 3 of 5
//     const benzer::Threshold threshold = benzer::Threshold::parse("0.6");
//     const bool similar = threshold.reached(common.intersection, common.set_union);  // true
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

// How the score of two sets follows from what they have in common.
enum class Measure {
  kJaccard,      // of the different features that the sets have, the share that both have
  kContainment,  // of the features of the smaller set, the share that the larger one has, too
};

// Returns the name in options and outputs: "jaccard" or "containment".
constexpr std::string_view name_of(Measure measure) noexcept {
  return measure == Measure::kJaccard ? "jaccard" : "containment";
}

// A similarity threshold as the exact decimal that the user wrote.
//
// 0.8 has no exact double; comparing a rounded quotient with a rounded threshold gets pairs exactly
// on the line wrong (4 of 5 shingles shared must reach 0.8). So a threshold is a fraction of
// integers, and every comparison is one of integers, exact for all set sizes below 2^53.
class Threshold {
 public:
  // Reads a decimal in (0, 1] with at most 17 digits after the point, such as "0.8", ".75" or "1".
  // Throws Error(kInvalidArgument) for anything else, NaN, zero, signs and exponents included.
  static Threshold parse(std::string_view decimal);
  // Takes the shortest decimal that reads as this double, so 0.7 is seven tenths. Throws
  // Error(kInvalidArgument) as parse() does.
  Threshold(
      double value);  // NOLINT(google-explicit-constructor): thresholds are written as numbers

  // Returns whether intersection / union >= threshold. Two empty sets (union 0) never reach it.
  bool reached(std::uint64_t intersection, std::uint64_t set_union) const noexcept;

  // Returns the smallest intersection with which two sets of these sizes reach the threshold. It is
  // more than min(size_a, size_b) if no intersection suffices.
  std::uint64_t needed_intersection(std::uint64_t size_a, std::uint64_t size_b,
                                    Measure measure = Measure::kJaccard) const noexcept;

  // Returns the nearest double, for planning and for printing next to scores. It never decides.
  double value() const noexcept;

  // Returns the decimal as it was written, without superfluous zeros: "0.8".
  std::string str() const;

  // The fraction behind the threshold, not reduced. The denominator is a power of ten.
  std::uint64_t numerator() const noexcept { return numerator_; }
  std::uint64_t denominator() const noexcept { return denominator_; }

  friend bool operator==(const Threshold&, const Threshold&) = default;

 private:
  Threshold(std::uint64_t numerator, std::uint64_t denominator)
      : numerator_(numerator), denominator_(denominator) {}

  std::uint64_t numerator_;  // both at most 10^17; the denominator is a power of ten
  std::uint64_t denominator_;
};

// Whether features have weights (FeatureSpec::is_weighted()).
enum class Weighting {
  kNone,    // a feature is a number, and counts once
  kWeights  // a feature holds a weight in its lower 20 bits, and counts by that
};

// What two sets have in common. Image hashes have an overlap too: the bits that agree beyond
// chance, of all bits. With Measure::kContainment, set_union is the size of the smaller set, so
// that the quotient is the score with either measure.
struct Overlap {
  // Features that both sets have. With weights: the sum of the smaller of the two weights of each
  // feature, in millionths.
  std::uint64_t intersection = 0;
  // Different features that at least one of the sets has. With weights: the sum of the larger of
  // the two weights of each feature, in millionths.
  std::uint64_t set_union = 0;
  // Returns intersection / union, and 0 for two empty sets, which are similar to nothing.
  double jaccard() const noexcept {
    return set_union == 0 ? 0.0
                          : static_cast<double>(intersection) / static_cast<double>(set_union);
  }
  friend bool operator==(const Overlap&, const Overlap&) = default;
};

// Returns the overlap of two sets of these sizes with `shared` common features.
Overlap overlap_of_sizes(std::uint64_t shared, std::uint64_t size_a, std::uint64_t size_b,
                         Measure measure = Measure::kJaccard) noexcept;
// Counts the common features of two sets. Cost: a hash table of the one set, and a look-up for each
// feature of the other. Use an OverlapCounter to compare one set with many.
Overlap overlap(const FeatureSet& a, const FeatureSet& b, Weighting weighting = Weighting::kNone);
// Returns the size of a set: the number of its features, or the sum of their weights in millionths.
std::uint64_t size_of(std::span<const std::uint64_t> unique_features, Weighting weighting) noexcept;
// Returns the weighting of features, for the functions here.
inline Weighting weighting_of(const FeatureSpec& features) noexcept {
  return features.is_weighted() ? Weighting::kWeights : Weighting::kNone;
}

// The shares of their features that two sets have in common: how much of the one the other
// contains.
struct Shares {
  // Common features, divided by the size of the first set, and of the second one.
  double of_a = 0;
  double of_b = 0;
  friend bool operator==(const Shares&, const Shares&) = default;
};

// Returns the shares of two sets from their containment, which is a multiple of one part in the
// size of the smaller set. The common features are computed from it without an error, since it has
// 53 bits and sizes have fewer than 32.
Shares shares_of(double containment, std::uint32_t size_a, std::uint32_t size_b) noexcept;
// Returns the shares of two sets from the number of features that both have. The share of an empty
// set is 0.
Shares shares_of_sets(std::uint64_t shared, std::uint64_t size_a, std::uint64_t size_b) noexcept;

// How the similarities of several fields become one score. A field that neither document has is
// left out. A field that only one of them has counts 0.
enum class ScoreRule {
  kMean,  // the mean, by the weights of the schema
  kAll,   // the least similar field, so that all fields must reach the threshold
  kAny,   // the most similar field, so that any field may reach it
};

// Holds one set in a hash table, to compare it with many others. Two sets that have what they share
// in the same order, as near-copies do, are compared fastest. Memory: 20 to 28 bytes for each
// feature of the set. Threads: one object for each thread.
class OverlapCounter {
 public:
  // Only Measure::kJaccard is possible with weights.
  explicit OverlapCounter(Weighting weighting = Weighting::kNone,
                          Measure measure = Measure::kJaccard) noexcept;

  // Loads a set and forgets the one before. All sets that are loaded or compared must have unique
  // features, as a FeatureSet has. Throws Error(kBadInput) for a set of more than 4,294,967,294.
  void load(std::span<const std::uint64_t> unique_features);

  // Returns the exact overlap with another set, or nothing if it cannot reach the threshold. That
  // shows by the sizes alone, or as soon as too many features are missing.
  std::optional<Overlap> compare(std::span<const std::uint64_t> unique_features,
                                 const Threshold& threshold) const noexcept;
  // Returns the exact overlap with another set, whatever it is.
  Overlap compare(std::span<const std::uint64_t> unique_features) const noexcept;
  // Returns whether the loaded set has the feature, whatever its weight.
  bool contains(std::uint64_t feature) const noexcept;

 private:
  std::size_t find(std::uint64_t feature, std::size_t next) const noexcept;
  std::uint64_t shared_size(std::span<const std::uint64_t> unique_features,
                            std::size_t& next) const noexcept;
  Weighting weighting() const noexcept {
    return mask_ == ~std::uint64_t{0} ? Weighting::kNone : Weighting::kWeights;
  }

  // Chooses a chain by a factor that nobody outside of the process knows: features can be chosen so
  // that they meet in the lower or upper bits, and then each look-up would pass all of them.
  std::size_t chain_of(std::uint64_t feature) const noexcept {
    return static_cast<std::size_t>((feature & mask_) * factor_ >> shift_);
  }

  std::vector<std::uint64_t> loaded_;
  // The first feature of each chain, and what follows each feature in its chain: places in loaded_
  // counted from 1; 0: none.
  std::vector<std::uint32_t> chains_ = {0, 0}, following_ = {0};
  std::uint64_t factor_ = 1;
  int shift_ = 63;
  std::uint64_t mask_;      // of the bits that are not a weight
  std::uint64_t size_ = 0;  // of the loaded set
  Measure measure_;
};

// Two documents by their numbers, a < b, and their score, which is exact and not estimated.
struct ScoredPair {
  // The numbers of the documents.
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  // Similarity in [0, 1].
  double score = 0;
  friend bool operator==(const ScoredPair&, const ScoredPair&) = default;
  friend bool operator<(const ScoredPair& x, const ScoredPair& y) noexcept {
    return x.a != y.a ? x.a < y.a : x.b < y.b;
  }
};

// Counts pairs that were compared, by their scores, for a report.
struct ScoreCounts {
  // The pairs of one bin.
  struct Bin {
    // Pairs below the threshold, and similar ones.
    std::uint64_t below = 0, similar = 0;
  };
  // Makes empty bins: 50, or for hashes of images as many as give every bin equally many distances.
  explicit ScoreCounts(int hash_bits = 0);

  // Counts a similar pair. found_probability: the probability that a pair with this score is found.
  void add_similar(double score, double found_probability);
  // Counts as many pairs below the threshold.
  void add_below(double score, std::uint64_t pairs = 1);

  // The bins, of equal width from 0 to 1. Pairs with a score of 1 are in none.
  std::vector<Bin> bins;
  // Similar pairs with a score of 1, and the other similar ones.
  std::uint64_t equal = 0, similar = 0;
  // Estimated number of similar pairs that were not found, by the probability of each that was.
  double missed = 0;

 private:
  Bin& bin_of(double score);
};

// What a deduplication of an index has compared, for a report. Of documents with equal features
// that the index stores once, only one was compared; each of the others is an equal pair with it.
struct ComparedPairs {
  // The compared pairs by score. `missed` is counted only if the index has one field.
  ScoreCounts scores;
  // Two documents by their ids, the first one before the other in the index's order, and their
  // exact score.
  struct Pair {
    std::string a, b;
    double score = 0;
    friend bool operator==(const Pair&, const Pair&) = default;
  };
  // The similar pairs and the pairs below the threshold that are nearest to it, at most 2,000 each,
  // the nearest first. Pairs with a score of 1 are left out.
  std::vector<Pair> above, under;
};

// Two sets by their numbers, a < b, and their overlap, which is compared with thresholds as a
// fraction.
struct SimilarSets {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  // What they have in common; it reaches the threshold of the call that returned them.
  Overlap overlap;
  friend bool operator==(const SimilarSets&, const SimilarSets&) = default;
};

// Finds all similar pairs by comparing every pair: the reference of the tests, and of users who ask
// how good recall is.
class BruteForce {
 public:
  // The sets are numbered from 0 in this order.
  explicit BruteForce(std::vector<FeatureSet> sets, Weighting weighting = Weighting::kNone,
                      Measure measure = Measure::kJaccard)
      : sets_(std::move(sets)), weighting_(weighting), measure_(measure) {}
  // Returns the pairs that reach the threshold, sorted by (a, b). Cost: quadratic in the number of
  // sets, on the calling thread.
  std::vector<SimilarSets> pairs(const Threshold& threshold) const;

 private:
  std::vector<FeatureSet> sets_;
  Weighting weighting_;
  Measure measure_;
};

// Finds all similar pairs by prefix filtering (Chaudhuri et al. 2006; Bayardo, Ma, Srikant 2007;
// Xiao et al. 2008): two sets that reach t share one of their n - ceil(t n) + 1 rarest features, so
// no pair is missed. With weights, of a total of W, they share one of the rarest features up to the
// one after which less than t W is left. Returns the pairs sorted by (a, b), by their places in
// `sets`. A set with a share of t or more in a larger one shares one of its n - ceil(t n) + 1
// rarest features with it, but not necessarily one of the rarest of that one. So for containment
// all features of every set are indexed. Containment is not possible with weights.
//
// threads: 0 means one for each core. stop: may be null; when it turns true, the function throws
// Error(kInterrupted). Memory, besides the sets: for each feature of each set 20 bytes while the
// features are ranked, with 16 more for each different one, and then 4 bytes (with weights 12) and
// an index of the prefixes.
std::vector<SimilarSets> exact_join(const std::vector<FeatureSet>& sets, const Threshold& threshold,
                                    int threads, const std::atomic<bool>* stop = nullptr,
                                    Weighting weighting = Weighting::kNone,
                                    Measure measure = Measure::kJaccard);

// Images as fields of documents: how their hashes are compared.
//
// The distance of two hashes is the number of bits in which they differ. The score that everything
// else works with is (bits - 2 distance) / bits, and 0 where that is negative, because the hashes
// of unrelated images agree in half of their bits. So a distance and a threshold say the same
// thing, and nothing is rounded between them. The score of image:near is how well two small
// pictures agree when they are laid over each other; that of image:sift is how many details are in
// the same places (src/image/near.h and sift_match.h have the formulas).

// Returns the threshold that images within this distance, in bits, reach. Throws
// Error(kInvalidArgument) for features that are not a hash, and for a distance that is not from 0
// to largest_distance().
Threshold threshold_of_distance(const FeatureSpec& features, int distance);
// Returns the largest distance whose score reaches the threshold. The features must be a hash.
int distance_of_threshold(const FeatureSpec& features, const Threshold& threshold);
// Returns the distance that an exact score was computed from. Returns nothing for features that are
// not a hash, and for a score of 0, which all distances above largest_distance() have.
std::optional<int> distance_of_score(const FeatureSpec& features, double score) noexcept;

// Returns the largest distance with a score above 0: 127 of 256 bits, or 31 of 64. The features
// must be a hash.
int largest_distance(const FeatureSpec& features) noexcept;
// Returns the distance that is used by default: 31 of 256 bits for image:pdq, as its authors
// advise, and 6 for hashes of 64 bits.
int usual_distance(const FeatureSpec& features) noexcept;
// Returns the threshold that is used by default: for hashes that of usual_distance(), 0.85 for
// image:near, 0.12 for image:sift, else 0.8.
Threshold usual_threshold(const FeatureSpec& features);

}  // namespace benzer
