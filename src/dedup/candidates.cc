#include "dedup/candidates.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <mutex>

#include <ips4o/ips4o.hpp>

#include "benzer/cpu.h"
#include "benzer/sketch.h"

#include "base/parallel.h"
#include "sketch/kernels/kernels.h"

namespace benzer {
namespace {

struct Entry {
  std::uint64_t key;
  SetNumber set;
};

// The sets of one band whose key at least one other set has (and a few more), sorted by key, then
// in keep order. Most keys occur once, and two small bitmaps sort those out far faster than
// sorting.
class BandSorter {
 public:
  BandSorter(const SketchTable& table, const DistinctSets& sets) : table_(table), sets_(sets) {}

  const std::vector<Entry>& sort(std::size_t band) {
    const std::size_t bits = std::bit_ceil(std::max<std::size_t>(8 * sets_.size(), 64));
    seen_.assign(bits / 64, 0);
    repeated_.assign(bits / 64, 0);
    for (SetNumber s = 0; s < sets_.size(); ++s) {
      const std::uint64_t bit = key(band, s) & (bits - 1);
      const std::uint64_t mask = std::uint64_t{1} << (bit % 64);
      repeated_[bit / 64] |= seen_[bit / 64] & mask;
      seen_[bit / 64] |= mask;
    }
    entries_.clear();
    for (SetNumber s = 0; s < sets_.size(); ++s) {
      const std::uint64_t k = key(band, s);
      const std::uint64_t bit = k & (bits - 1);
      if (repeated_[bit / 64] >> (bit % 64) & 1) entries_.push_back({k, s});
    }
    ips4o::sort(entries_.begin(), entries_.end(), [](const Entry& x, const Entry& y) {
      return x.key != y.key ? x.key < y.key : x.set < y.set;
    });
    return entries_;
  }

  std::uint64_t key(std::size_t band, SetNumber s) const {
    return table_.keys.row(sets_.document[s])[band];
  }

 private:
  const SketchTable& table_;
  const DistinctSets& sets_;
  std::vector<std::uint64_t> seen_;
  std::vector<std::uint64_t> repeated_;
  std::vector<Entry> entries_;
};

}  // namespace

SignatureCut signature_cut(double threshold, int slots, double allowed_loss) {
  // Adds up the probabilities of 0, 1, 2, ... agreeing slots for as long as the sum is allowed.
  if (threshold >= 1) return {slots, 0};
  double sum = 0;
  for (int equal = 0; equal < slots; ++equal) {
    const double log_probability = std::lgamma(slots + 1) - std::lgamma(equal + 1) -
                                   std::lgamma(slots - equal + 1) + equal * std::log(threshold) +
                                   (slots - equal) * std::log1p(-threshold);
    const double next = sum + std::exp(log_probability);
    if (next > allowed_loss) return {equal, sum};
    sum = next;
  }
  return {slots, sum};
}

double allowed_loss(double recall) noexcept { return (1 - recall) / 100; }

bool shares_earlier_band(const SketchTable& table, std::uint32_t a, std::uint32_t b,
                         std::size_t band) noexcept {
  const std::uint64_t* keys_a = table.keys.row(a);
  const std::uint64_t* keys_b = table.keys.row(b);
  for (std::size_t earlier = 0; earlier < band; ++earlier)
    if (keys_a[earlier] == keys_b[earlier]) return true;
  return false;
}

SignatureFilter::SignatureFilter(const SketchTable& table, const DistinctSets& sets,
                                 const SimilarityOptions& options)
    : table_(table),
      sets_(sets),
      slots_(static_cast<std::size_t>(options.config.sketch.slots)),
      least_equal_(static_cast<std::uint32_t>(signature_cut(options.threshold.value(),
                                                            options.config.sketch.slots,
                                                            allowed_loss(options.recall))
                                                  .least_equal)),
      kernels_(kernels_for(active_cpu_level())) {}

bool SignatureFilter::passes(SetNumber a, SetNumber b) const noexcept {
  return kernels_.count_equal(table_.cut_signatures.row(sets_.document[a]),
                              table_.cut_signatures.row(sets_.document[b]), slots_) >= least_equal_;
}

void SignatureFilter::append(SetNumber set, std::vector<std::uint8_t>& signatures) const {
  const std::uint8_t* row = table_.cut_signatures.row(sets_.document[set]);
  signatures.insert(signatures.end(), row, row + slots_);
}

std::size_t SignatureFilter::next(SetNumber set, const std::vector<std::uint8_t>& signatures,
                                  std::size_t begin) const noexcept {
  return kernels_.next_similar(table_.cut_signatures.row(sets_.document[set]), signatures.data(),
                               begin, signatures.size() / slots_, slots_, least_equal_);
}

Candidates find_candidates(const SketchTable& table, const DistinctSets& sets,
                           const SimilarityOptions& options, std::size_t large_bucket) {
  const SignatureFilter filter(table, sets, options);
  const std::size_t bands = table.keys.width();
  Candidates all;
  std::mutex mutex;
  std::uint64_t bands_done = 0;
  using LargeBucket = Candidates::LargeBucket;

  parallel_for(resolve_threads(options.threads), bands, 1, [&](std::size_t band, std::size_t) {
    check_stop(options);
    BandSorter sorter(table, sets);
    const std::vector<Entry>& entries = sorter.sort(band);
    std::vector<CandidatePair> pairs;
    std::vector<LargeBucket> large_here;
    std::uint64_t compared = 0;

    for (std::size_t begin = 0, end; begin < entries.size(); begin = end) {
      end = begin + 1;
      while (end < entries.size() && entries[end].key == entries[begin].key) ++end;
      if (large_bucket != 0 && end - begin > large_bucket) {
        LargeBucket& bucket = large_here.emplace_back(LargeBucket{band, {}});
        for (std::size_t i = begin; i < end; ++i) bucket.sets.push_back(entries[i].set);
        continue;
      }
      for (std::size_t j = begin + 1; j < end; ++j) {
        for (std::size_t i = begin; i < j; ++i) {
          const SetNumber a = entries[i].set;
          const SetNumber b = entries[j].set;
          if (sets.only_references[a] && sets.only_references[b]) continue;
          // It was compared in that band, or waits there in a large bucket.
          if (shares_earlier_band(table, sets.document[a], sets.document[b], band)) continue;
          if (filter.passes(a, b)) pairs.push_back({a, b});
          if ((++compared & 0xFFFF) == 0) check_stop(options);
        }
      }
    }
    std::lock_guard lock(mutex);
    all.pairs.insert(all.pairs.end(), pairs.begin(), pairs.end());
    all.compared += compared;
    std::move(large_here.begin(), large_here.end(), std::back_inserter(all.large_buckets));
    if (options.progress) options.progress({"candidates", ++bands_done, bands});
  });

  // In an order that does not depend on which thread was faster.
  std::sort(all.large_buckets.begin(), all.large_buckets.end(),
            [](const LargeBucket& x, const LargeBucket& y) {
              return x.band != y.band ? x.band < y.band : x.sets < y.sets;
            });
  if (!all.large_buckets.empty()) all.buckets_of.resize(sets.size());
  for (std::uint32_t bucket = 0; bucket < all.large_buckets.size(); ++bucket)
    for (const SetNumber s : all.large_buckets[bucket].sets) all.buckets_of[s].push_back(bucket);
  return all;
}

}  // namespace benzer
