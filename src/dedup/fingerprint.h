// Makes fingerprints, which tell documents apart by all of their features without keeping these.
//
// An author who knows how fingerprints are made can write two texts that share nothing and have the
// same one, so that one of them would be removed as a copy. So fingerprints have a key that is
// drawn when the process starts. In stages and files of signatures, which outlive the process, the
// key is known; there equal fingerprints only mean that two documents may be equal
// (distinct_sets.h).
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string_view>

#include <xxhash.h>

#include "base/secret.h"

namespace benzer {

// A fingerprint is equal for documents of the same group with the same features, counted as often
// as they occur. It consists of sums, so the order does not matter. Documents with the same set but
// other repeats have different fingerprints, and become candidates with J = 1.
struct FeatureFingerprint {
  std::uint64_t sum = 0;
  std::uint64_t product_sum = 0;
  friend auto operator<=>(const FeatureFingerprint&, const FeatureFingerprint&) = default;
};

class Fingerprinter {
 public:
  // is_secret: the key is drawn for this process, and cannot be predicted.
  explicit Fingerprinter(bool is_secret)
      : is_secret_(is_secret), key_(is_secret ? process_secret() : Secret{}) {}
  // A key that several processes share, and nobody else knows.
  explicit Fingerprinter(const Secret& key) : is_secret_(true), key_(key) {}

  bool is_secret() const noexcept { return is_secret_; }

  // Returns a hash of the group's name; 0 for documents without a group.
  std::uint64_t group(std::string_view name) const {
    if (name.empty()) return 0;
    return is_secret_ ? secret_hash(name, key_) : XXH3_64bits(name.data(), name.size());
  }

  // Returns the fingerprint of a document without features. `group` is a result of group().
  FeatureFingerprint of_none(std::uint64_t group) const noexcept { return {group, 0}; }
  // Adds features of a document to its fingerprint, all of them or some at a time.
  void add(std::span<const std::uint64_t> features, FeatureFingerprint& out) const noexcept {
    // Local copies, so that the compiler knows that nothing else changes them.
    const std::uint64_t first = key_.first, second = key_.second;
    std::uint64_t sum = 0, product_sum = 0;
    for (const std::uint64_t feature : features) {
      // Plain sums of features could be forged, whatever key is added to them. So each feature
      // first goes through a bijection that nobody can compute without the key.
      const std::uint64_t hidden = splitmix64(feature ^ first);
      sum += hidden;
      // The second sum is of values that are not a linear function of those of the first: a
      // widening multiplication of the two halves, which can be vectorised on every CPU.
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
