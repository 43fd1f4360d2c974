// Which of many sets may be similar to a given one, by the rarest features of both.
//
// In one order of all features, the rarest first, two sets with an overlap of at least o have in
// common one of the first |x| - o + 1 features of x and of the first |y| - o + 1 of y (prefix
// filter: Chaudhuri, Ganti and Kaushik 2006), so none is missed. Pages of one template that are
// not similar share the template only, which comes last: they do not even meet.
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

// Sets of different groups never meet. All sets that will be added or asked for are counted first.
class PrefixIndex {
 public:
  // features: of all sets that will be counted, about. Memory: 16 MiB at most, and 8 bytes for each
  // feature that is indexed: of a set the rarest 1 - t, the ones that no other set has left out.
  PrefixIndex(const Threshold& threshold, std::uint64_t features);

  // Unique features of a set. Any threads at a time.
  void count(std::span<const std::uint64_t> features, std::uint64_t group) noexcept;

  // From here on one thread. Sets are numbered as they are added.
  void add(std::span<const std::uint64_t> features, std::uint64_t group);

  // Appends the numbers of all sets that may be similar, each once. False if that would take a look
  // at more than `most` entries; what was appended by then is not all.
  bool find(std::span<const std::uint64_t> features, std::uint64_t group, std::size_t most,
            std::vector<std::uint32_t>& out);

  std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  struct Ranked {
    std::uint64_t key;
    std::uint8_t sets;  // that have it; 255: that many, or more
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
  // By descending reach, but for the last ones, which were added since.
  struct List {
    std::vector<Entry> entries;
    std::size_t sorted = 0;
  };
  static constexpr double kFraction = 16;

  std::atomic<std::uint8_t>& counter(std::uint64_t key) noexcept;
  std::span<const Ranked> rarest(std::span<const std::uint64_t> features, std::uint64_t group);

  Threshold threshold_;
  double share_;  // of the features of two sets together that they must have in common
  std::uint64_t mask_;
  std::unique_ptr<std::atomic<std::uint8_t>[]> counters_;
  std::unordered_map<std::uint64_t, List, SecretHash> lists_;
  std::vector<std::uint32_t> sizes_;  // of each set
  std::vector<std::uint32_t> met_;    // of each set: the last question in which it was found
  std::uint32_t question_ = 0;
  std::vector<Ranked> ranked_;
  std::uint64_t bytes_ = 0;
};

}  // namespace benzer
