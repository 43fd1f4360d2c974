#include "dedup/buckets.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include <ips4o/ips4o.hpp>

#include "base/int128.h"

namespace benzer {

BandBuckets::BandBuckets(const SketchTable& table, const DistinctSets& sets, std::size_t bytes,
                         std::size_t large_bucket)
    : table_(table), sets_(sets), bytes_(bytes), large_bucket_(large_bucket) {}

template <class Visit>
void BandBuckets::for_each_key(Visit visit) const {
  auto keys = table_.keys(band_);
  for (std::uint32_t document = 0; document < table_.size(); ++document) {
    const SetNumber set = sets_.set_of[document];
    if (set == kNoSet || sets_.document[set] != document) continue;
    visit(*keys.row(document), set);
  }
}

bool BandBuckets::repeats(std::uint64_t key) const noexcept {
  const std::uint64_t bit = key & mask_;
  return repeated_[bit / 64] >> (bit % 64) & 1;
}

void BandBuckets::start(std::size_t band) {
  band_ = band;
  range_ = 0;
  // Both bitmaps together take a quarter at most.
  std::size_t bits = std::bit_ceil(std::max<std::size_t>(8 * std::size_t{sets_.size()}, 64));
  while (bits > 64 && bits > bytes_) bits /= 2;
  mask_ = bits - 1;
  seen_.assign(bits / 64, 0);
  repeated_.assign(bits / 64, 0);
  for_each_key([&](std::uint64_t key, SetNumber) {
    const std::uint64_t bit = key & mask_;
    const std::uint64_t one = std::uint64_t{1} << (bit % 64);
    repeated_[bit / 64] |= seen_[bit / 64] & one;
    seen_[bit / 64] |= one;
  });
  std::size_t count = 0;
  for_each_key([&](std::uint64_t key, SetNumber) { count += repeats(key); });
  const std::size_t per_entry = sizeof(BucketEntry) + sizeof(const std::uint8_t*) +
                                sizeof(std::uint32_t) +
                                (table_.workspace().limited() ? table_.slots() : 0);
  ranges_ = count == 0 ? 0 : count / std::max<std::size_t>(bytes_ / per_entry, 1) + 1;
}

bool BandBuckets::next() {
  if (range_ == ranges_) return false;
  entries_.clear();
  for_each_key([&](std::uint64_t key, SetNumber set) {
    if (!repeats(key)) return;
    // The bits of the bitmaps say nothing of the range.
    if (static_cast<std::size_t>(static_cast<Uint128>(key) * ranges_ >> 64) == range_)
      entries_.push_back({key, set});
  });
  ips4o::sort(entries_.begin(), entries_.end(), [](const BucketEntry& x, const BucketEntry& y) {
    return x.key != y.key ? x.key < y.key : x.set < y.set;
  });
  gather_signatures();
  ++range_;
  return true;
}

void BandBuckets::gather_signatures() {
  signatures_.resize(entries_.size());
  std::vector<std::uint32_t> elsewhere;
  for (std::size_t begin = 0, end; begin < entries_.size(); begin = end) {
    end = begin + 1;
    while (end < entries_.size() && entries_[end].key == entries_[begin].key) ++end;
    if (end - begin == 1 || (large_bucket_ != 0 && end - begin > large_bucket_)) continue;
    for (std::size_t i = begin; i < end; ++i) {
      signatures_[i] = table_.resident_cut_signature(sets_.document[entries_[i].set]);
      if (signatures_[i] == nullptr) elsewhere.push_back(static_cast<std::uint32_t>(i));
    }
  }
  if (elsewhere.empty()) return;
  // From the front of the file to its end.
  const auto document = [&](std::uint32_t i) { return sets_.document[entries_[i].set]; };
  ips4o::sort(elsewhere.begin(), elsewhere.end(),
              [&](std::uint32_t x, std::uint32_t y) { return document(x) < document(y); });
  const std::size_t slots = table_.slots();
  copies_.resize(elsewhere.size() * slots);
  auto cut = table_.cut_signatures();
  for (std::size_t i = 0; i < elsewhere.size(); ++i) {
    std::uint8_t* copy = copies_.data() + i * slots;
    std::memcpy(copy, cut.row(document(elsewhere[i])), slots);
    signatures_[elsewhere[i]] = copy;
  }
}

}  // namespace benzer
