// Finds the buckets of one band: the sets that share a key.
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

// Goes through a band in pieces: all keys of a range at a time, in so many ranges that a piece
// takes about `bytes` at most. Most keys occur once. A filter of two bits for each of a few times
// as many places as there are keys excludes these, which is far faster than sorting all keys.
class BandBuckets {
 public:
  // Signatures are not gathered for buckets with more sets than `large_bucket` (0: no limit).
  BandBuckets(const SketchTable& table, const DistinctSets& sets, std::size_t bytes,
              std::size_t large_bucket);

  // Starts a band.
  void start(std::size_t band);

  // Gathers the entries of the next range, by key, then in keep order, without keys that occur once
  // (except for a few). Returns false at the end of the band. The entries and signatures are valid
  // until the next call.
  bool next();
  std::span<const BucketEntry> entries() const noexcept { return entries_; }
  // Calls visit(begin, end) with the range of entries of every bucket that has more than one set.
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
  // Returns the cut signature of entry i.
  const std::uint8_t* signature(std::size_t i) const noexcept { return signatures_[i]; }

 private:
  template <class Wanted, class Visit>
  void for_each_key(Wanted wanted, Visit visit) const;
  // The word of the filter that has a key's two bits, and their place in it.
  std::size_t word(std::uint64_t key) const noexcept { return (key & mask_) / 32; }
  static int shift(std::uint64_t key) noexcept { return static_cast<int>(key % 32) * 2; }
  void gather_signatures();

  const SketchTable& table_;
  const DistinctSets& sets_;
  std::size_t bytes_;
  std::size_t large_bucket_;
  std::size_t band_ = 0;
  std::size_t range_ = 0, ranges_ = 0;
  std::uint64_t mask_ = 0;             // the bits of a key that are its place in the filter
  std::vector<std::uint64_t> filter_;  // two bits a place: a key was seen, one was seen again
  std::vector<BucketEntry> entries_;
  std::vector<const std::uint8_t*> signatures_;
  std::vector<std::uint8_t> copies_;  // of signatures that are not in memory
};

}  // namespace benzer
