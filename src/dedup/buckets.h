// The buckets of one band: the sets that share a key.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dedup/distinct_sets.h"
#include "dedup/sketch_table.h"

namespace benzer {

struct BucketEntry {
  std::uint64_t key;
  SetNumber set;
};

// Goes through a band in pieces: all keys of a range at a time, so many ranges that a piece takes
// about `bytes` at most. Most keys occur once, and two bits for each of a few times as many places
// as there are keys sort those out far faster than sorting.
class BandBuckets {
 public:
  // Of buckets with more sets than `large_bucket` (0: no limit) there are no signatures.
  BandBuckets(const SketchTable& table, const DistinctSets& sets, std::size_t bytes,
              std::size_t large_bucket);

  // Starts a band.
  void start(std::size_t band);

  // The entries of the next range, by key, then in keep order, keys that occur once left out (but
  // for a few). False at the end of the band. Both spans are valid until the next call.
  bool next();
  std::span<const BucketEntry> entries() const noexcept { return entries_; }
  // visit(begin, end) for the entries of every bucket, those of a single set left out.
  template <class Visit>
  void for_each_bucket(Visit visit) const {
    for (std::size_t begin = 0, end; begin < entries_.size(); begin = end) {
      end = begin + 1;
      while (end < entries_.size() && entries_[end].key == entries_[begin].key) ++end;
      if (end - begin > 1) visit(begin, end);
    }
  }
  bool is_large(std::size_t begin, std::size_t end) const noexcept {
    return large_bucket_ != 0 && end - begin > large_bucket_;
  }
  // The cut signature of entry i.
  const std::uint8_t* signature(std::size_t i) const noexcept { return signatures_[i]; }

 private:
  template <class Wanted, class Visit>
  void for_each_key(Wanted wanted, Visit visit) const;
  // The word of a key's two bits, and where they are in it.
  std::size_t word(std::uint64_t key) const noexcept { return (key & mask_) / 32; }
  static int shift(std::uint64_t key) noexcept { return static_cast<int>(key % 32) * 2; }
  void gather_signatures();

  const SketchTable& table_;
  const DistinctSets& sets_;
  std::size_t bytes_;
  std::size_t large_bucket_;
  std::size_t band_ = 0;
  std::size_t range_ = 0, ranges_ = 0;
  std::uint64_t mask_ = 0;             // of a key: its place in the filter
  std::vector<std::uint64_t> filter_;  // two bits a place: it was seen, it was seen again
  std::vector<BucketEntry> entries_;
  std::vector<const std::uint8_t*> signatures_;
  std::vector<std::uint8_t> copies_;  // of signatures that are not in memory
};

}  // namespace benzer
