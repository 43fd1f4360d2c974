// Splits a signature into bands of rows: two documents become candidates when all rows of at least
// one band agree (Broder 1997; Leskovec, Rajaraman, Ullman: Mining of Massive Datasets, 3.4).
//
// Pure arithmetic without state. Threads: share freely. Nothing here can fail.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace benzer {

struct Banding {
  int bands = 16;
  int rows = 6;  // slots of the signature per band

  // Slots that the bands use: bands * rows, which must not exceed the slots of the signature.
  int slots() const noexcept { return bands * rows; }

  // The probability that a pair of Jaccard similarity s becomes a candidate:
  // 1 - (1 - s^rows)^bands. Measured to hold for FSS slots too (docs/design.md).
  double candidate_probability(double s) const noexcept;

  // The key of each band: a 64-bit hash of the band's number and its full slots. keys.size() must
  // be bands, slots.size() at least slots().
  void keys(std::span<const std::uint64_t> slots, std::span<std::uint64_t> keys) const noexcept;

  // "16x6"
  std::string str() const;

  friend bool operator==(const Banding&, const Banding&) = default;
};

// The keys of a signature without positions (bottomk, single): of each slot a hash of its value, and
// kNoKey where there is none. keys.size() must be slots.size(). Keys of different slots may meet.
inline constexpr std::uint64_t kNoKey = ~std::uint64_t{0};
void value_keys(std::span<const std::uint64_t> slots, std::span<std::uint64_t> keys) noexcept;

}  // namespace benzer
