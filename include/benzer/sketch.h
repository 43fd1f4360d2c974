// From features to a signature: MinHash and its one-pass relative.
//
//   fss    Fast Similarity Sketching (Dahlgaard, Knudsen, Thorup, FOCS 2017): every feature fills a
//          slot of its round until no slot is empty; error at or below classical MinHash.
//   kperm  k independent hash functions, the minimum of each (Broder 1997).
//   linear, mod-prime, multiply-shift, java-random   the same with the functions of the documents
//          that Benzer grew from (benzer/research/classics/...), on the features' hashes.
//   bottomk, single   the k smallest values of one function (Broder 1997; Thorup, STOC 2013).
// All but the first two are computed by benzer::research (benzer/research/register.h).
// docs/format.md defines them bit by bit. No floating point, no std::hash: the same bytes on every
// machine and CPU level, checked by golden vectors.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "benzer/config.h"

namespace benzer {

namespace internal {
class SlotFunctions;
}  // namespace internal

// What two signatures say of the similarity of their sets.
enum class Estimator {
  kEqualSlots,  // slots that are equal, of k
  // bottomk: of the k smallest values of both signatures together, those that both have. The sample
  // is drawn without replacement, so sets of fewer than k features are compared exactly.
  kUnion,
  // single: values that both have, of k, as the report of 2012 has it. For sets of one size n,
  // which have i features in common, that is an estimate of i / n, and not of the Jaccard
  // similarity i / (2n - i).
  kCommon,
};

// k slots and the fingerprint of what made them. Signatures with different fingerprints must not be
// compared: the functions below throw Error(kInvalidArgument) instead of returning a number.
struct Signature {
  std::vector<std::uint64_t> slots;
  std::uint64_t scheme = 0;
  Estimator estimator = Estimator::kEqualSlots;

  bool empty() const noexcept;  // made from no features
  friend bool operator==(const Signature&, const Signature&) = default;
};

// A slot that no feature reached: all slots of an empty set, and no slot of any other set.
inline constexpr std::uint64_t kEmptySlot = ~std::uint64_t{0};

// An estimate of Jaccard similarity by the signatures' estimator; 0 if either set is empty. All but
// kCommon are unbiased.
double estimate_jaccard(const Signature& a, const Signature& b);

// An upper bound of the standard error of the estimate: sqrt(s (1 - s) / slots).
double standard_error(double similarity, int slots) noexcept;
// The same of kUnion, which draws the slots without replacement from a union of that size.
double standard_error_of_union(double similarity, int slots, std::uint64_t union_size) noexcept;

// The signature of the union of the two sets: the element-wise minimum, or the k smallest of all.
Signature merge(const Signature& a, const Signature& b);

// The lowest bits of each slot: b-bit minwise hashing (Li and Koenig, WWW 2010), a view of any
// signature whose slots have positions. 512 slots of one bit take 64 bytes, and say more than 16
// slots of 32 bits.
class BitSignature {
 public:
  // bits: 1 to 16. Throws Error(kInvalidArgument) for other numbers, and for bottomk and single.
  BitSignature(const Signature& signature, int bits);

  int bits() const noexcept { return bits_; }
  std::span<const std::uint8_t> bytes() const noexcept {
    return bytes_;
  }  // one slot behind another
  // Different slots agree in b bits with the probability 2^-b; that is taken off. Unbiased before
  // it is cut off at 0. 0 if either set is empty.
  friend double estimate_jaccard(const BitSignature& a, const BitSignature& b);
  // Of that estimate: sqrt(p (1 - p) / slots) / (1 - 2^-b), where p = s + (1 - s) 2^-b.
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

// Threads: immutable; share freely.
// Cost: fss about 1 ns per feature plus 1 us for 128 slots, 10 ns per feature where a long list
// repeats few of them again and again; kperm slots times 0.1 ns per feature;
// the drawn functions slots times 1 to 3 ns per feature; bottomk 5 to 12 ns.
class MinHasher {
 public:
  // The features' seed and spelling are part of the fingerprint, so that signatures of different
  // features are never compared.
  MinHasher(const SketchSpec& sketch, const FeatureSpec& features);

  int slots() const noexcept { return sketch_.slots; }
  Estimator estimator() const noexcept;
  std::uint64_t scheme() const noexcept { return scheme_; }

  // Fills out, whose size must be slots(). Repeats of a feature change nothing. noexcept: the hot
  // loop of the engine.
  void sketch(std::span<const std::uint64_t> features, std::span<std::uint64_t> out) const noexcept;

  Signature sketch(std::span<const std::uint64_t> features) const;

  // Makes the slots of a set those of its union with the features: what sketch() would make of all
  // of them. The slots must come from sketch() or be kEmptySlot.
  void add(std::span<const std::uint64_t> features, std::span<std::uint64_t> slots) const;

 private:
  SketchSpec sketch_;
  std::uint64_t scheme_;
  const struct Kernels* kernels_;
  std::shared_ptr<const internal::SlotFunctions> drawn_;  // null: fss or kperm
};

// The estimate of kUnion and of kCommon from lists of slots of the same scheme, ascending,
// kEmptySlot at their end. Cost: about 1 ns a slot.
double estimate_union(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) noexcept;
double estimate_common(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) noexcept;

}  // namespace benzer
