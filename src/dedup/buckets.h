// Finds the buckets of one band: the sets that share a key.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dedup/distinct_sets.h"
#include "dedup/gathered_signatures.h"
#include "dedup/sketch_table.h"

namespace benzer {

struct BucketEntry {
  std::uint64_t key;
  SetNumber set;
};

// Goes through a band in pieces that take about `bytes` at most. Most keys occur once. A filter of
// two bits for each of a few times as many places as there are keys excludes these, which is far
// faster than sorting all keys. The others are gathered at once, or all keys of a range at a time,
// as each range reads all keys of the band again. Signatures, which are larger, are gathered for
// some of these at a time.
class BandBuckets {
 public:
  // Signatures are gathered for buckets with more sets than `small_bucket` and at most
  // `large_bucket` (0: no limit).
  BandBuckets(const SketchTable& table, const DistinctSets& sets, std::size_t bytes,
              std::size_t small_bucket, std::size_t large_bucket);

  // Starts a band.
  void start(std::size_t band);

  // Goes to the next piece: entries of keys that occur more than once, by key, then in keep order.
  // Returns false at the end of the band. The entries and signatures are valid until the next call.
  bool next();
  std::span<const BucketEntry> entries() const noexcept {
    return std::span(gathered_).subspan(begin_, end_ - begin_);
  }
  // Calls visit(begin, end) with the range of entries of every bucket.
  template <class Visit>
  void for_each_bucket(Visit visit) const {
    for (std::size_t begin = begin_, end; begin < end_; begin = end) {
      end = bucket_end(begin);
      visit(begin - begin_, end - begin_);
    }
  }
  bool is_small(std::size_t begin, std::size_t end) const noexcept {
    return end - begin <= small_bucket_;
  }
  bool is_large(std::size_t begin, std::size_t end) const noexcept {
    return large_bucket_ != 0 && end - begin > large_bucket_;
  }
  // Returns the cut signature of entry i, if it was gathered.
  const std::uint8_t* signature(std::size_t i) const noexcept { return signatures_[i]; }

 private:
  template <class Wanted, class Visit>
  void for_each_key(Wanted wanted, Visit visit) const;
  // The word of the filter that has a key's two bits, and their place in it.
  std::size_t word(std::uint64_t key) const noexcept { return (key & mask_) / 32; }
  static int shift(std::uint64_t key) noexcept { return static_cast<int>(key % 32) * 2; }
  bool needs_signatures(std::size_t begin, std::size_t end) const noexcept {
    return !is_small(begin, end) && !is_large(begin, end);
  }
  std::size_t bucket_end(std::size_t begin) const noexcept;
  void gather_range();
  void gather_signatures();

  const SketchTable& table_;
  const DistinctSets& sets_;
  std::size_t bytes_;  // a quarter for the filter, the rest for entries, then for signatures
  std::size_t small_bucket_, large_bucket_;
  std::size_t band_ = 0;
  std::size_t range_ = 0, ranges_ = 0;
  std::size_t most_in_range_ = 0;      // entries, about
  std::uint64_t mask_ = 0;             // the bits of a key that are its place in the filter
  std::vector<std::uint64_t> filter_;  // two bits a place: a key was seen, one was seen again
  std::vector<BucketEntry> gathered_;  // of a range
  std::size_t begin_ = 0, end_ = 0;    // the piece of it
  std::size_t piece_bytes_ = 0;        // for its signatures
  GatheredSignatures signatures_;
};

}  // namespace benzer
