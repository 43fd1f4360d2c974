// Turns the features of a document into a signature, by MinHash or its one-pass relative.
//
//   fss    Fast Similarity Sketching (Dahlgaard, Knudsen, Thorup, FOCS 2017): every feature fills a
//          slot of its round until no slot is empty. Its error is at or below classical MinHash.
//          Features with weights are sketched by darts (DartMinHash, Christiani 2020): the slots
//          estimate weighted Jaccard similarity.
//   kperm  k independent hash functions, the minimum of each (Broder 1997).
//   linear, mod-prime, multiply-shift, java-random   the same with the functions of the documents
//          that Benzer grew from (benzer/research/classics/...), on the features' hashes.
//   bottomk, single   the k smallest values of one function (Broder 1997; Thorup, STOC 2013).
//
// All but the first two are computed by benzer::research (benzer/research/register.h).
// docs/format.md defines them bit by bit. They use no floating point and no std::hash, so they give
// the same bytes on every machine and CPU level; golden vectors check that.
//
//     const benzer::FeatureSpec features = benzer::FeatureSpec::parse("text:word5");
//     const benzer::FeatureExtractor extractor(features);
//     const benzer::MinHasher hasher(benzer::SketchSpec::parse("fss:128"), features);
//     benzer::FeatureBuffer buffer;
//     extractor.extract("The quick brown fox jumps over the lazy dog", buffer);
//     const benzer::Signature one = hasher.sketch(buffer.features());
//     extractor.extract("A quick brown fox jumps over the lazy dog", buffer);
//     const double jaccard = estimate_jaccard(one, hasher.sketch(buffer.features()));
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "benzer/config.h"

namespace benzer {

namespace internal {
class SlotFunctions;
}  // namespace internal

// How two signatures estimate the similarity of their sets.
enum class Estimator {
  // The share of the k slots that are equal.
  kEqualSlots,
  // bottomk: of the k smallest values of both signatures together, the share that both have. The
  // sample is drawn without replacement, so sets whose union has at most k features are compared
  // exactly.
  kUnion,
  // single: values that both have, divided by k, as the report of 2012 has it. For sets of one size
  // n that have i features in common, that estimates i / n, and not the Jaccard similarity
  // i / (2n - i).
  kCommon,
};

// k slots and the fingerprint of what made them. Signatures with different fingerprints must not be
// compared: the functions below throw Error(kInvalidArgument) instead of returning a number.
struct Signature {
  // One value for each slot. Without positions (bottomk, single) they are in ascending order.
  std::vector<std::uint64_t> slots;
  // Fingerprint of features, sketch and seed: MinHasher::scheme().
  std::uint64_t scheme = 0;
  // How the signature is compared.
  Estimator estimator = Estimator::kEqualSlots;

  // Returns whether the signature was made from no features, or has no slots.
  bool empty() const noexcept;
  friend bool operator==(const Signature&, const Signature&) = default;
};

// Marks a slot that no feature has reached. All slots of an empty set have this value. Of other
// sets only bottomk and single have such slots, if there are fewer features than slots.
inline constexpr std::uint64_t kEmptySlot = ~std::uint64_t{0};

// Estimates the Jaccard similarity by the estimator of the signatures; 0 if either set is empty.
// All estimators but kCommon are unbiased. Throws Error(kInvalidArgument) for signatures that were
// made differently. Cost: about 1 ns for each slot.
double estimate_jaccard(const Signature& a, const Signature& b);

// Returns an upper bound of the standard error of an estimate at this similarity:
// sqrt(s (1 - s) / slots).
double standard_error(double similarity, int slots) noexcept;
// Returns the same for kUnion, which draws the slots without replacement from a union of
// `union_size` features; 0 if the slots hold all of it.
double standard_error_of_union(double similarity, int slots, std::uint64_t union_size) noexcept;

// Returns the signature of the union of the two sets: the minimum of each slot, or the k smallest
// values of both. Throws Error(kInvalidArgument) for signatures that were made differently.
Signature merge(const Signature& a, const Signature& b);

// Keeps only the lowest bits of each slot: b-bit minwise hashing (Li and Koenig, WWW 2010). It is a
// view of any signature whose slots have positions. 512 slots of one bit take 64 bytes, and say
// more than 16 slots of 32 bits.
class BitSignature {
 public:
  // bits: 1 to 16 of each slot. Throws Error(kInvalidArgument) for other numbers, and for
  // signatures of bottomk and single.
  BitSignature(const Signature& signature, int bits);

  // Returns the number of bits that are kept of each slot.
  int bits() const noexcept { return bits_; }
  // Returns the bits of one slot after another, packed, the lowest bit first: slots * bits / 8
  // bytes, rounded up.
  std::span<const std::uint8_t> bytes() const noexcept { return bytes_; }
  // Estimates the Jaccard similarity; 0 if either set is empty. Different slots agree in b bits
  // with the probability 2^-b; the estimate takes that off. It is unbiased before it is cut off at
  // 0. Throws Error(kInvalidArgument) for different fingerprints or numbers of bits.
  friend double estimate_jaccard(const BitSignature& a, const BitSignature& b);
  // Returns the standard error of that estimate: sqrt(p (1 - p) / slots) / (1 - 2^-b), where
  // p = s + (1 - s) 2^-b.
  static double standard_error(double similarity, int slots, int bits) noexcept;

 private:
  std::uint32_t slot(std::size_t i) const noexcept;

  std::vector<std::uint8_t> bytes_;
  std::size_t slots_;
  std::uint64_t scheme_;
  int bits_;
  bool empty_;
};
double estimate_jaccard(const BitSignature& a, const BitSignature& b);

// Makes signatures. Threads: immutable, so any number may share one.
// Cost: fss about 1 ns for each feature plus 1 us for 128 slots, and 10 ns for each feature where a
// long list repeats few of them again and again. kperm takes 0.1 ns for each feature and slot, the
// other drawn functions 1 to 3 ns for each feature and slot, and bottomk 5 to 12 ns for each
// feature. src/sketch/darts.h has the cost of features with weights.
class MinHasher {
 public:
  // sketch: the scheme and the number of slots. features: what made the features; their spelling
  // and seed are part of the fingerprint, so that signatures of different features are never
  // compared. Throws Error(kInvalidArgument) for a sketch of benzer::research if that library is
  // not registered, and for features with weights and another sketch than fss.
  MinHasher(const SketchSpec& sketch, const FeatureSpec& features);

  // Returns the number of slots of a signature.
  int slots() const noexcept { return sketch_.slots; }
  // Returns how its signatures are compared.
  Estimator estimator() const noexcept;
  // Returns the fingerprint that all signatures of this object have.
  std::uint64_t scheme() const noexcept { return scheme_; }

  // Fills `out`, whose size must be slots(). The order of the features and repeats of them change
  // nothing. Features with weights must differ. It is noexcept because it is the hot loop of the
  // engine.
  void sketch(std::span<const std::uint64_t> features, std::span<std::uint64_t> out) const noexcept;

  // The same, but it ends with Error(kInterrupted) when the flag, which may be null, turns true.
  void sketch(std::span<const std::uint64_t> features, std::span<std::uint64_t> out,
              const std::atomic<bool>* stop) const;

  // Returns the signature of the features. stop: as above.
  Signature sketch(std::span<const std::uint64_t> features,
                   const std::atomic<bool>* stop = nullptr) const;

  // Adds features to a set that was sketched before: `slots` become what sketch() would make of all
  // features together; of a feature with two weights, the larger one counts. slots.size() must be
  // slots(), and they must come from sketch() of the same scheme, or all be kEmptySlot.
  void add(std::span<const std::uint64_t> features, std::span<std::uint64_t> slots) const;

 private:
  SketchSpec sketch_;
  bool has_weights_;
  std::uint64_t scheme_;
  const struct Kernels* kernels_;
  std::shared_ptr<const internal::SlotFunctions> drawn_;  // null: fss or kperm
};

// The estimates of kUnion and of kCommon from the slots alone. Both lists must be of the same
// scheme and size, ascending, with kEmptySlot at their end. Cost: about 1 ns for each slot.
double estimate_union(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) noexcept;
double estimate_common(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) noexcept;

}  // namespace benzer
