// Finds which of many sets may be similar to a given one, by the rarest features of both.
//
// In one order of all features, the rarest first, two sets with an overlap of at least o have in
// common one of the first |x| - o + 1 features of x and of the first |y| - o + 1 of y (prefix
// filter: Chaudhuri, Ganti and Kaushik 2006), so no similar set is missed. Pages of one template
// that are not similar share only the template, which comes last: they are not found at all.
//
// For containment, a set that contains another one has one of the first |x| - o + 1 features of
// that one, wherever it has it. So all features of the sets that are added are indexed, except for
// those of very many sets: a set that has these among its first features is not looked up.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "benzer/similarity.h"

#include "base/secret.h"

namespace benzer {

// Never finds sets of another group. All sets that will be added or looked up must be counted
// first.
class PrefixIndex {
 public:
  // features: how many features will be counted, about. Memory: 16 MiB at most for counters; 8
  // bytes for each set and each feature that is indexed, and some 96 for each different one. The
  // rarest 1 - t of the features of a set are indexed, without those that no other set has.
  PrefixIndex(const Threshold& threshold, std::uint64_t features,
              Measure measure = Measure::kJaccard);

  // Counts the unique features of a set. Any number of threads may call it at a time.
  void count(std::span<const std::uint64_t> features, std::uint64_t group) noexcept;

  // Adds a set, which gets the next number, from 0. Only one thread may call this and what follows.
  void add(std::span<const std::uint64_t> features, std::uint64_t group);

  // Appends the numbers of all sets that may be similar, or may contain this one, each once.
  // Returns false if it would have to look at more than `most` entries; then not all of them were
  // appended.
  bool find(std::span<const std::uint64_t> features, std::uint64_t group, std::size_t most,
            std::vector<std::uint32_t>& out);

  std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  struct Ranked {
    std::uint64_t key;
    std::uint8_t sets;  // how many sets have it; 255: that many, or more
    bool operator<(const Ranked& other) const noexcept {
      return sets != other.sets ? sets < other.sets : key < other.key;
    }
  };
  // A set that has the feature. Only a set of at most `reach` / kFraction / (t / (1 + t)) features
  // can be similar to it if this is the first feature that they share.
  struct Entry {
    std::int32_t reach;
    std::uint32_t number;
  };
  // The first `sorted` entries are in descending order of reach; the others were added since.
  struct List {
    std::vector<Entry> entries;
    std::size_t sorted = 0;
  };
  static constexpr double kFraction = 16;

  static constexpr std::uint8_t kMany = 255;

  std::atomic<std::uint8_t>& counter(std::uint64_t key) noexcept;
  void add_all(std::span<const std::uint64_t> features, std::uint64_t group, std::uint32_t number);
  bool find_containing(std::span<const std::uint64_t> features, std::uint64_t group,
                       std::size_t most, std::vector<std::uint32_t>& out);
  std::span<const Ranked> rarest(std::span<const std::uint64_t> features, std::uint64_t group);

  Threshold threshold_;
  Measure measure_;
  double share_;  // two sets must have in common this share of the sum of their sizes
  std::uint64_t mask_;
  std::unique_ptr<std::atomic<std::uint8_t>[]> counters_;
  std::unordered_map<std::uint64_t, List, SecretHash> lists_;
  std::vector<std::uint32_t> sizes_;  // of each set
  std::vector<std::uint32_t> met_;    // of each set: the last find() that has found it
  std::uint32_t question_ = 0;
  std::vector<Ranked> ranked_;
  std::uint64_t bytes_ = 0;
};

}  // namespace benzer
