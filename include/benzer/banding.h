// Splits a signature into bands of rows and plans how many: two documents become candidates when
// all rows of at least one band agree (Broder 1997; Leskovec, Rajaraman, Ullman: Mining of Massive
// Datasets, 3.4).
//
//     const benzer::Plan found = benzer::plan({.threshold = 0.8, .recall = 0.99, .slots = 128});
//     // found.banding is 16 bands of 6 rows; a pair at 0.8 is found with probability 0.992.
//
// Everything here is arithmetic without state, so any number of threads may call it. Only the
// planner can fail, and only for values out of range.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace benzer {

// How a signature is split: the first `bands * rows` slots, `rows` consecutive ones to each band.
struct Banding {
  // Number of bands, at least 1. More bands find more pairs, and more strangers with them.
  int bands = 16;
  // Slots of the signature in each band, at least 1. More rows make strangers rarer.
  int rows = 6;

  // Returns the number of slots that the bands use, bands * rows. It must not exceed the number of
  // slots of the signature; keys() does not check that.
  int slots() const noexcept { return bands * rows; }

  // Returns the probability that a pair of Jaccard similarity s, in [0, 1], becomes a candidate:
  // 1 - (1 - s^rows)^bands. Measurements confirm the formula for FSS slots too, which are not
  // independent (docs/design.md).
  double candidate_probability(double s) const noexcept;

  // Writes the key of each band to `keys`: a 64-bit hash (XXH3) of the band's number and its full
  // slots, so that equal slots in different bands have different keys. keys.size() must be `bands`
  // and slots.size() at least slots(). Cost: one hash of 8 * rows bytes for each band.
  void keys(std::span<const std::uint64_t> slots, std::span<std::uint64_t> keys) const noexcept;

  // Returns the spelling of configurations, such as "16x6".
  std::string str() const;

  friend bool operator==(const Banding&, const Banding&) = default;
};

// Stands for a slot without a value among the keys of value_keys().
inline constexpr std::uint64_t kNoKey = ~std::uint64_t{0};

// Writes one key for each slot of a signature whose slots have no positions (schemes bottomk and
// single): a 64-bit hash of the slot's value, or kNoKey for an empty slot. keys.size() must be
// slots.size(). Slots with the same value have the same key wherever they are, so a key may match
// one of another position.
void value_keys(std::span<const std::uint64_t> slots, std::span<std::uint64_t> keys) noexcept;

// What bands are planned for.
struct PlanRequest {
  // Jaccard similarity from which on pairs are wanted, in (0, 1].
  double threshold = 0.8;
  // Wanted probability that a pair exactly at the threshold is found, in (0, 1).
  double recall = 0.99;
  // Slots of the signature, 1 to 4096.
  int slots = 128;
};

// Bands that plan() has chosen.
struct Plan {
  // The bands, which fit into the slots.
  Banding banding;
  // Probability that a run finds a pair exactly at the threshold; at least the wanted one.
  double recall_at_threshold = 0;
};

// Chooses bands and rows: the largest number of rows for which the smallest sufficient number of
// bands fits into the slots. More rows mean fewer strangers among the candidates, but recall comes
// first. Every part of Benzer plans by this rule, so files and indexes have the same bands. For
// 0.8, 0.99 and 128 slots it gives 16 x 6 with a recall of 0.992.
//
// Throws Error(kInvalidArgument) for values out of range, and if even one row needs more bands than
// there are slots; its hint says how many slots would suffice. Cost: a few powers for each number
// of rows.
Plan plan(const PlanRequest& request);

// How contained sets are found (Measure::kContainment): a set publishes as anchors the features
// that are lowest by a hash, as many as planned, or all if it has no more. Another set that has at
// least `needed` of them is a candidate, whatever its size. Each anchor is in a set that contains
// the share s of the features with the probability s (docs/decisions/0037).
struct AnchorPlan {
  // The anchors of each set, at least 1.
  int anchors = 16;
  // How many of these a candidate has, from 1 to `anchors`.
  int needed = 9;
  // Probability that a pair exactly at the threshold becomes a candidate, or less than it for sets
  // that are not much larger than `anchors`.
  double recall_at_threshold = 0;

  // Returns the probability that a pair of containment s, in [0, 1], becomes a candidate: that of
  // at least `needed` successes among `anchors` independent trials.
  double candidate_probability(double s) const noexcept;

  friend bool operator==(const AnchorPlan&, const AnchorPlan&) = default;
};

// The most anchors that plan_anchors() chooses.
inline constexpr int kMostAnchors = 64;

// Chooses anchors: the fewest with which a pair at half of the threshold becomes a candidate once
// in 16 times at most, and no fewer than 8; kMostAnchors if not even these suffice. Of these as
// many are needed as the wanted recall at the threshold allows. For 0.8 and 0.99 that is 12 of 20.
//
// Throws Error(kInvalidArgument) for values out of range, and if not even one of kMostAnchors is
// found often enough.
AnchorPlan plan_anchors(double threshold, double recall);

// How an index finds contained sets (Measure::kContainment): a set is stored under those of its
// features whose hash is below a rate, its keys. A query looks up all of its own features, so every
// key that it has, too, is one that both have, whatever the sizes of the two
// (docs/decisions/0041).
struct KeySampling {
  // The share of the features that are keys, in thousandths, 1 to 1000.
  std::uint32_t thousandths = 251;
  // Sets of fewer features are stored under all of them; 1 to 1000.
  std::uint32_t least = 20;

  // Returns the share of the features that are keys.
  double rate() const noexcept { return thousandths / 1e3; }
  // Returns the probability that a set has a key in common with a query. shared: features that both
  // have. size: features of the set.
  double found_probability(std::uint64_t shared, std::uint64_t size) const noexcept;
  // Returns the number of common keys that a set has, but for a probability of 1 - recall, if it is
  // stored at the rate and has `shared` features in common with the query; at least 1.
  std::uint64_t least_common_keys(std::uint64_t shared, double recall) const noexcept;
  // Returns the spelling of schemas, such as "0.251/20".
  std::string str() const;

  friend bool operator==(const KeySampling&, const KeySampling&) = default;
};

// Chooses the lowest rate with which two sets with `shared` common features, at least 1, have a
// common key with the probability `recall`. Of 20 features 0.8 are 16; for these and 0.99 the rate
// is 0.251. The result has the usual `least`.
//
// Throws Error(kInvalidArgument) for a recall that is not in (0, 1).
KeySampling plan_keys(std::uint64_t shared, double recall);

// One row of a table that compares ways to choose bands.
struct Alternative {
  // "6 rows", or the tool that the rule comes from: "datasketch (equal areas)", "pickBands" or
  // "datatrove (fixed)".
  std::string name;
  Banding banding;
  // Probability that a run finds a pair exactly at the threshold.
  double recall_at_threshold = 0;
  // Whether the bands use no more slots than the signature has.
  bool fits = true;
};

// Returns, for each number of rows from 1 on, the smallest number of bands that reaches the wanted
// recall, whether it fits into the slots or not. The list ends before the first number of rows that
// needs more than a million bands. Throws Error(kInvalidArgument) for values out of range.
std::vector<Alternative> alternatives(const PlanRequest& request);

// Returns what the rules of other tools choose for the same threshold and slots: datasketch's
// integral optimum with equal weights, pickBands of the 2014 Scala blog, and datatrove's fixed
// 14 x 8. None of them looks at request.recall, but it must be in range too. Throws
// Error(kInvalidArgument) for values out of range. Cost: for datasketch's rule an integral for each
// banding that fits into the slots, of which there are about slots * ln(slots).
std::vector<Alternative> rules_of_others(const PlanRequest& request);

}  // namespace benzer
