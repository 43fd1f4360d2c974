// From features to a signature: MinHash and its one-pass relative.
//
//   fss    Fast Similarity Sketching (Dahlgaard, Knudsen, Thorup, FOCS 2017): every feature fills a
//          slot of its round until no slot is empty; error at or below classical MinHash.
//   kperm  k independent hash functions, the minimum of each (Broder 1997).
// docs/format.md defines both bit by bit. No floating point, no std::hash: the same bytes on every
// machine and CPU level, checked by golden vectors.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "benzer/config.h"

namespace benzer {

// k slots and the fingerprint of what made them. Signatures with different fingerprints must not be
// compared: the functions below throw Error(kInvalidArgument) instead of returning a number.
struct Signature {
  std::vector<std::uint64_t> slots;
  std::uint64_t scheme = 0;

  bool empty() const noexcept;  // made from no features
  friend bool operator==(const Signature&, const Signature&) = default;
};

// A slot that no feature reached: all slots of an empty set, and no slot of any other set.
inline constexpr std::uint64_t kEmptySlot = ~std::uint64_t{0};

// The share of equal slots, an unbiased estimate of Jaccard similarity; 0 if either set is empty.
double estimate_jaccard(const Signature& a, const Signature& b);

// An upper bound of the standard error of the estimate: sqrt(s (1 - s) / slots).
double standard_error(double similarity, int slots) noexcept;

// The signature of the union of the two sets: the element-wise minimum.
Signature merge(const Signature& a, const Signature& b);

// Threads: immutable; share freely.
// Cost: fss about 1 ns per feature plus 1 us for 128 slots; kperm slots times 0.1 ns per feature.
class MinHasher {
 public:
  // The features' seed and spelling are part of the fingerprint, so that signatures of different
  // features are never compared.
  MinHasher(const SketchSpec& sketch, const FeatureSpec& features);

  int slots() const noexcept { return sketch_.slots; }
  std::uint64_t scheme() const noexcept { return scheme_; }

  // Fills out, whose size must be slots(). Repeats of a feature change nothing. noexcept: the hot
  // loop of the engine.
  void sketch(std::span<const std::uint64_t> features, std::span<std::uint64_t> out) const noexcept;

  Signature sketch(std::span<const std::uint64_t> features) const;

 private:
  SketchSpec sketch_;
  std::uint64_t scheme_;
  const struct Kernels* kernels_;
};

}  // namespace benzer
