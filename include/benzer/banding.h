// Splits a signature into bands of rows: two documents become candidates when all rows of at least
// one band agree (Broder 1997; Leskovec, Rajaraman, Ullman: Mining of Massive Datasets, 3.4).
//
// Pure arithmetic without state. Threads: share freely. Nothing here can fail.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

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

// The keys of a signature without positions (bottomk, single): of each slot a hash of its value,
// and kNoKey where there is none. keys.size() must be slots.size(). Keys of different slots may
// meet.
inline constexpr std::uint64_t kNoKey = ~std::uint64_t{0};
void value_keys(std::span<const std::uint64_t> slots, std::span<std::uint64_t> keys) noexcept;

// Chooses bands and rows for a recall at the threshold, and says what other rules would find.
struct PlanRequest {
  double threshold = 0.8;  // in (0, 1]
  double recall = 0.99;    // in (0, 1): wanted for pairs exactly at the threshold
  int slots = 128;         // of the signature
};

struct Plan {
  Banding banding;
  double recall_at_threshold = 0;
};

// The rule used everywhere: the largest number of rows for which the smallest sufficient number of
// bands fits into the slots. More rows mean fewer strangers among the candidates; recall comes
// first. At 0.8, 0.99 and 128 slots: 16 x 6, recall 0.992.
// Throws Error(kInvalidArgument) for values out of range, or if even one row needs more bands than
// there are slots; the sentence says how many slots would do.
Plan plan(const PlanRequest& request);

// For each number of rows, the smallest sufficient number of bands, whether it fits or not.
struct Alternative {
  std::string name;  // "6 rows", or the rule it comes from: "datasketch", "pickBands", "datatrove"
  Banding banding;
  double recall_at_threshold = 0;
  bool fits = true;
};
std::vector<Alternative> alternatives(const PlanRequest& request);

// What the common rules of other tools choose for the same threshold and slots: datasketch's
// integral optimum with equal weights, pickBands of the 2014 Scala blog, datatrove's 14 x 8.
std::vector<Alternative> rules_of_others(const PlanRequest& request);

}  // namespace benzer
