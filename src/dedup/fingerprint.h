// Tells documents apart by all of their features at once, without keeping these.
//
// Whoever knows how fingerprints are made can make two texts that share nothing and have the same
// one, and one of them would be removed as a copy. So they are keyed by numbers that are drawn when
// the process starts. Where they have to outlive it, in stages and files of signatures, the key is
// known; there equal fingerprints say only that two documents may be equal (distinct_sets.h).
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string_view>

#include <xxhash.h>

#include "base/secret.h"

namespace benzer {

// Equal for documents of the same group with the same features as a bag: sums, so that the order
// does not matter. Documents with the same set but other repeats differ here and meet again as
// candidates with J = 1.
struct FeatureFingerprint {
  std::uint64_t sum = 0;
  std::uint64_t product_sum = 0;
  friend auto operator<=>(const FeatureFingerprint&, const FeatureFingerprint&) = default;
};

class Fingerprinter {
 public:
  // is_secret: no other process has the same key, and no key of it can be foreseen.
  explicit Fingerprinter(bool is_secret)
      : is_secret_(is_secret), key_(is_secret ? process_secret() : Secret{}) {}

  bool is_secret() const noexcept { return is_secret_; }

  // A hash of the group's name; 0 for documents of no group.
  std::uint64_t group(std::string_view name) const {
    if (name.empty()) return 0;
    return is_secret_ ? secret_hash(name) : XXH3_64bits(name.data(), name.size());
  }

  // Of a document of the group, by what group() gives, before its features are added.
  FeatureFingerprint of_none(std::uint64_t group) const noexcept { return {group, 0}; }
  // All of a document, or some of it at a time.
  void add(std::span<const std::uint64_t> features, FeatureFingerprint& out) const noexcept {
    // Copies, which the compiler knows to be nobody else's.
    const std::uint64_t first = key_.first, second = key_.second;
    std::uint64_t sum = 0, product_sum = 0;
    for (const std::uint64_t feature : features) {
      // Sums alone could be aimed at, with any key that is only added; this is a bijection that
      // nobody can follow without the key.
      const std::uint64_t hidden = splitmix64(feature ^ first);
      sum += hidden;
      // A second sum, of something that is no linear function of the first: one widening
      // multiplication of the two halves vectorises everywhere.
      const std::uint64_t again = hidden ^ second;
      product_sum += (again & 0xFFFFFFFF) * (again >> 32) + (again >> 17);
    }
    out.sum += sum;
    out.product_sum += product_sum;
  }
  FeatureFingerprint operator()(std::span<const std::uint64_t> features,
                                std::uint64_t group) const noexcept {
    FeatureFingerprint out = of_none(group);
    add(features, out);
    return out;
  }

 private:
  bool is_secret_;
  Secret key_;
};

}  // namespace benzer
