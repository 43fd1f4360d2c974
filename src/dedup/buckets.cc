#include "dedup/buckets.h"

#include <algorithm>
#include <array>
#include <bit>

#include <ips4o/ips4o.hpp>

#include "base/int128.h"

namespace benzer {

BandBuckets::BandBuckets(const SketchTable& table, const DistinctSets& sets, std::size_t bytes,
                         std::size_t small_bucket, std::size_t large_bucket)
    : table_(table),
      sets_(sets),
      bytes_(bytes),
      small_bucket_(small_bucket),
      large_bucket_(large_bucket),
      signatures_(table, sets) {}

// Visits the keys that are wanted, and their sets. The filter is larger than the caches, so its
// words are prefetched for some keys at a time.
template <class Wanted, class Visit>
void BandBuckets::for_each_key(Wanted wanted, Visit visit) const {
  constexpr std::size_t kAhead = 32;
  std::array<BucketEntry, kAhead> batch;
  std::size_t count = 0;
  const auto visit_batch = [&] {
    for (std::size_t i = 0; i < count; ++i) visit(batch[i]);
    count = 0;
  };
  auto keys = table_.keys(band_);
  for (std::uint32_t document = 0; document < table_.size(); ++document) {
    if (!sets_.is_first[document]) continue;
    const std::uint64_t key = *keys.row(document);
    if (!wanted(key)) continue;
    __builtin_prefetch(filter_.data() + word(key), 1);
    batch[count++] = {key, sets_.set_of[document]};
    if (count == kAhead) visit_batch();
  }
  visit_batch();
}

void BandBuckets::start(std::size_t band) {
  band_ = band;
  range_ = 0;
  gathered_.clear();
  begin_ = end_ = 0;
  std::size_t places = std::bit_ceil(std::max<std::size_t>(8 * std::size_t{sets_.size()}, 64));
  while (places > 64 && places > bytes_) places /= 2;
  mask_ = places - 1;
  filter_.assign(places / 32, 0);
  std::size_t repeats = 0;
  for_each_key([](std::uint64_t) { return true; },
               [&](const BucketEntry& entry) {
                 std::uint64_t& bits = filter_[word(entry.key)];
                 const std::uint64_t seen = bits >> shift(entry.key) & 1;
                 repeats += seen;
                 bits |= (1 + 2 * seen) << shift(entry.key);
               });
  // For every repeat at most two entries are taken: the repeat, and the first with the same place.
  const std::size_t entries = std::min<std::size_t>(2 * repeats, sets_.size());
  ranges_ = 0;
  if (entries == 0) return;
  ranges_ = entries / std::max<std::size_t>(bytes_ / 4 * 3 / sizeof(BucketEntry), 1) + 1;
  most_in_range_ = entries / ranges_ * 17 / 16;
}

bool BandBuckets::next() {
  while (end_ == gathered_.size()) {
    if (range_ == ranges_) return false;
    gather_range();
  }
  begin_ = end_;
  std::size_t bytes = 0;
  while (end_ < gathered_.size()) {
    const std::size_t end = bucket_end(end_);
    bytes += (end - end_) * (needs_signatures(end_, end) ? GatheredSignatures::bytes_each(table_)
                                                         : GatheredSignatures::kBytesOfNone);
    if (bytes > piece_bytes_ && end_ != begin_) break;
    end_ = end;
  }
  gather_signatures();
  return true;
}

std::size_t BandBuckets::bucket_end(std::size_t begin) const noexcept {
  std::size_t end = begin + 1;
  while (end < gathered_.size() && gathered_[end].key == gathered_[begin].key) ++end;
  return end;
}

void BandBuckets::gather_range() {
  gathered_ = {};
  gathered_.reserve(most_in_range_);
  // A range is of the high bits of keys, and their places in the filter are of the low ones, so
  // repeats are spread evenly over the ranges.
  for_each_key(
      [&](std::uint64_t key) {
        return ranges_ == 1 ||
               static_cast<std::size_t>(static_cast<Uint128>(key) * ranges_ >> 64) == range_;
      },
      [&](const BucketEntry& entry) {
        if (filter_[word(entry.key)] >> shift(entry.key) & 2) gathered_.push_back(entry);
      });
  ips4o::sort(gathered_.begin(), gathered_.end(), [](const BucketEntry& x, const BucketEntry& y) {
    return x.key != y.key ? x.key < y.key : x.set < y.set;
  });
  // Some keys occur once, and share their place in the filter with another.
  auto kept = gathered_.begin();
  for (std::size_t begin = 0, end; begin < gathered_.size(); begin = end) {
    end = bucket_end(begin);
    if (end - begin == 1) continue;
    kept = std::copy(gathered_.data() + begin, gathered_.data() + end, kept);
  }
  gathered_.erase(kept, gathered_.end());
  // What they took is given to signatures, so that these are read in fewer pieces.
  if (gathered_.size() < gathered_.capacity() / 2) gathered_.shrink_to_fit();
  const std::size_t taken = bytes_ / 4 + gathered_.capacity() * sizeof(BucketEntry);
  piece_bytes_ = std::max(bytes_ / 4, bytes_ - std::min(taken, bytes_));
  begin_ = end_ = 0;
  ++range_;
}

void BandBuckets::gather_signatures() {
  const std::span<const BucketEntry> entries = this->entries();
  std::vector<SetNumber> wanted(entries.size(), kNoSet);
  for_each_bucket([&](std::size_t begin, std::size_t end) {
    if (!needs_signatures(begin, end)) return;
    for (std::size_t i = begin; i < end; ++i) wanted[i] = entries[i].set;
  });
  signatures_.gather(wanted);
}

}  // namespace benzer
