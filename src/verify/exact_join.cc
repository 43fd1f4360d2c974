// Joins sets exactly, by a prefix filter. With the features of every set in one order, rarest
// first, two sets that reach the threshold t must share a feature among the first n - ceil(t n) + 1
// of each: otherwise even a full match of the rest is not enough. Most of these features occur in
// one set only, so the index over them is small and the candidates are few.
#include <algorithm>
#include <mutex>
#include <numeric>

#include <ips4o/ips4o.hpp>

#include "benzer/error.h"
#include "benzer/runtime.h"
#include "benzer/similarity.h"

#include "base/parallel.h"

namespace benzer {
namespace {

using Rank = std::uint32_t;

// All sets, one after the other, each sorted by rank: rare features have low ranks.
struct RankedSets {
  std::vector<Rank> ranks;
  std::vector<std::uint64_t> starts;  // one more than there are sets
  Rank first_shared = 0;              // ranks below it occur in one set only
  Rank rank_count = 0;

  std::span<const Rank> set(std::uint32_t number) const {
    return {ranks.data() + starts[number], starts[number + 1] - starts[number]};
  }
};

RankedSets rank_features(const std::vector<FeatureSet>& sets) {
  struct Occurrence {
    std::uint64_t feature;
    std::uint64_t place;  // in `ranks`
  };
  RankedSets ranked;
  ranked.starts.reserve(sets.size() + 1);
  ranked.starts.push_back(0);
  std::vector<Occurrence> occurrences;
  for (const FeatureSet& set : sets) {
    for (const std::uint64_t feature : set.features())
      occurrences.push_back({feature, occurrences.size()});
    ranked.starts.push_back(occurrences.size());
  }
  ips4o::sort(occurrences.begin(), occurrences.end(),
              [](const Occurrence& x, const Occurrence& y) { return x.feature < y.feature; });

  // The sorted occurrences are runs of equal features; the order of the runs by length is the rank.
  struct Run {
    std::uint64_t start;
    std::uint64_t length;
  };
  std::vector<Run> runs;
  for (std::uint64_t i = 0; i < occurrences.size();) {
    std::uint64_t end = i + 1;
    while (end < occurrences.size() && occurrences[end].feature == occurrences[i].feature) ++end;
    runs.push_back({i, end - i});
    i = end;
  }
  std::stable_sort(runs.begin(), runs.end(),
                   [](const Run& x, const Run& y) { return x.length < y.length; });
  ranked.ranks.resize(occurrences.size());
  for (Rank rank = 0; rank < runs.size(); ++rank) {
    const Run& run = runs[rank];
    for (std::uint64_t i = run.start; i < run.start + run.length; ++i)
      ranked.ranks[occurrences[i].place] = rank;
    if (run.length == 1) ranked.first_shared = rank + 1;
  }
  ranked.rank_count = static_cast<Rank>(runs.size());
  for (std::size_t s = 0; s < sets.size(); ++s)
    std::sort(ranked.ranks.begin() + static_cast<std::ptrdiff_t>(ranked.starts[s]),
              ranked.ranks.begin() + static_cast<std::ptrdiff_t>(ranked.starts[s + 1]));
  return ranked;
}

// Returns how many of the first features must be looked up: n - ceil(t n) + 1.
std::size_t prefix_length(std::size_t n, const Threshold& threshold) {
  if (n == 0) return 0;
  auto least = static_cast<std::size_t>(threshold.value() * static_cast<double>(n));
  while (least > 1 && threshold.reached(least - 1, n)) --least;
  while (!threshold.reached(least, n)) ++least;
  return n - least + 1;
}

// Merges two sorted sets. Returns nothing as soon as they cannot reach the threshold any more.
std::optional<Overlap> merge_overlap(std::span<const Rank> a, std::span<const Rank> b,
                                     const Threshold& threshold) {
  const std::uint64_t needed = threshold.needed_intersection(a.size(), b.size());
  if (needed > std::min(a.size(), b.size())) return std::nullopt;
  std::size_t i = 0, j = 0;
  std::uint64_t shared = 0;
  while (i < a.size() && j < b.size()) {
    if (a[i] == b[j]) {
      ++shared;
      ++i;
      ++j;
    } else if (a[i] < b[j]) {
      if (shared + (a.size() - ++i) < needed) return std::nullopt;
    } else {
      if (shared + (b.size() - ++j) < needed) return std::nullopt;
    }
  }
  if (shared < needed) return std::nullopt;
  return Overlap{shared, a.size() + b.size() - shared};
}

// For each rank that several sets have, the sets that have it in their prefix.
struct PrefixIndex {
  std::vector<std::uint64_t> starts;
  std::vector<std::uint32_t> places;  // places in the order, ascending

  std::span<const std::uint32_t> of(Rank shared_rank) const {
    return {places.data() + starts[shared_rank], starts[shared_rank + 1] - starts[shared_rank]};
  }
};

PrefixIndex index_prefixes(const RankedSets& ranked, const std::vector<std::uint32_t>& order,
                           const std::vector<std::uint32_t>& prefixes) {
  PrefixIndex index;
  index.starts.assign(ranked.rank_count - ranked.first_shared + 1, 0);
  const auto each = [&](auto&& visit) {
    for (std::uint32_t place = 0; place < order.size(); ++place)
      for (const Rank rank : ranked.set(order[place]).first(prefixes[place]))
        if (rank >= ranked.first_shared) visit(rank - ranked.first_shared, place);
  };
  each([&](Rank rank, std::uint32_t) { ++index.starts[rank + 1]; });
  std::partial_sum(index.starts.begin(), index.starts.end(), index.starts.begin());
  index.places.resize(index.starts.back());
  std::vector<std::uint64_t> next(index.starts.begin(), index.starts.end() - 1);
  each([&](Rank rank, std::uint32_t place) { index.places[next[rank]++] = place; });
  return index;
}

// Finds, for one set after the other, the similar ones among the sets before it in the order, which
// are not larger. Threads: one object per thread.
class Prober {
 public:
  Prober(const RankedSets& ranked, const std::vector<std::uint32_t>& order,
         const std::vector<std::uint32_t>& prefixes, const PrefixIndex& index,
         const Threshold& threshold, const std::atomic<bool>* stop)
      : ranked_(ranked),
        order_(order),
        prefixes_(prefixes),
        index_(index),
        threshold_(threshold),
        stop_(stop) {}

  void probe(std::uint32_t place, std::vector<SimilarSets>& found) {
    const std::span<const Rank> x = ranked_.set(order_[place]);
    collect_candidates(place, x);
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      if ((i & 1023) == 0) throw_if_stopped(stop_);
      const std::uint32_t other = order_[candidates_[i]];
      const auto common = merge_overlap(x, ranked_.set(other), threshold_);
      if (!common) continue;
      const auto [a, b] = std::minmax(order_[place], other);
      found.push_back({a, b, *common});
    }
  }

 private:
  void collect_candidates(std::uint32_t place, std::span<const Rank> x) {
    candidates_.clear();
    for (const Rank rank : x.first(prefixes_[place])) {
      if (rank < ranked_.first_shared) continue;
      const std::span<const std::uint32_t> places = index_.of(rank - ranked_.first_shared);
      const auto self = std::lower_bound(places.begin(), places.end(), place);
      const auto large_enough = std::partition_point(places.begin(), self, [&](std::uint32_t y) {
        return !threshold_.reached(ranked_.set(order_[y]).size(), x.size());
      });
      candidates_.insert(candidates_.end(), large_enough, self);
    }
    std::sort(candidates_.begin(), candidates_.end());
    candidates_.erase(std::unique(candidates_.begin(), candidates_.end()), candidates_.end());
  }

  const RankedSets& ranked_;
  const std::vector<std::uint32_t>& order_;
  const std::vector<std::uint32_t>& prefixes_;
  const PrefixIndex& index_;
  const Threshold& threshold_;
  const std::atomic<bool>* stop_;
  std::vector<std::uint32_t> candidates_;
};

}  // namespace

std::vector<SimilarSets> exact_join(const std::vector<FeatureSet>& sets, const Threshold& threshold,
                                    int threads, const std::atomic<bool>* stop) {
  const RankedSets ranked = rank_features(sets);

  // The order is by size: then only sets before a set need to be looked at, and those that are too
  // small are at the beginning of every list.
  std::vector<std::uint32_t> order(sets.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t x, std::uint32_t y) {
    return sets[x].size() < sets[y].size();
  });
  std::vector<std::uint32_t> prefixes(order.size());
  for (std::size_t place = 0; place < order.size(); ++place)
    prefixes[place] =
        static_cast<std::uint32_t>(prefix_length(sets[order[place]].size(), threshold));
  const PrefixIndex index = index_prefixes(ranked, order, prefixes);

  std::mutex mutex;
  std::vector<SimilarSets> found;
  parallel_for(resolve_threads(threads), order.size(), 1024,
               [&](std::size_t begin, std::size_t end) {
                 Prober prober(ranked, order, prefixes, index, threshold, stop);
                 std::vector<SimilarSets> local;
                 for (std::size_t place = begin; place < end; ++place)
                   prober.probe(static_cast<std::uint32_t>(place), local);
                 std::lock_guard lock(mutex);
                 found.insert(found.end(), local.begin(), local.end());
               });
  std::sort(found.begin(), found.end(), [](const SimilarSets& x, const SimilarSets& y) {
    return x.a != y.a ? x.a < y.a : x.b < y.b;
  });
  return found;
}

}  // namespace benzer
