// Joins sets exactly, by a prefix filter. With the features of every set in one order, rarest
// first, two sets that reach the threshold t must share a feature among the first n - ceil(t n) + 1
// of each: otherwise even a full match of the rest is not enough. Most of these features occur in
// one set only, so the index over them is small and the candidates are few. With weights, the total
// weight of a set takes the place of its size n.
//
// A set that is contained in a larger one shares one of its own first n - ceil(t n) + 1 features
// with it, wherever that one has it. So the index has all features then, not only the first ones.
#include <algorithm>
#include <array>
#include <limits>
#include <mutex>
#include <numeric>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <ips4o/ips4o.hpp>

#include "benzer/error.h"
#include "benzer/runtime.h"
#include "benzer/similarity.h"

#include "base/int128.h"
#include "base/parallel.h"
#include "base/weight.h"

namespace benzer {
namespace {

using Rank = std::uint32_t;

// All sets, one after the other, each sorted by rank: rare features have low ranks.
struct RankedSets {
  std::vector<Rank> ranks;
  std::vector<std::uint64_t> weights;  // of each feature, in millionths; empty without weights
  std::vector<std::uint64_t> starts;   // one more than there are sets
  std::vector<std::uint64_t> sizes;    // of each set
  Rank first_shared = 0;               // ranks below it occur in one set only
  Rank rank_count = 0;

  std::span<const Rank> set(std::uint32_t number) const {
    return {ranks.data() + starts[number], starts[number + 1] - starts[number]};
  }
};

// Between two looks at the stop flag.
constexpr std::size_t kSets = 1024;

// Sorts each set by rank, and the weights of its features with them.
void sort_by_rank(RankedSets& ranked, const std::atomic<bool>* stop) {
  std::vector<std::pair<Rank, std::uint64_t>> set;
  for (std::size_t s = 0; s + 1 < ranked.starts.size(); ++s) {
    if (s % kSets == 0) throw_if_stopped(stop);
    const std::uint64_t begin = ranked.starts[s], end = ranked.starts[s + 1];
    if (ranked.weights.empty()) {
      std::sort(ranked.ranks.begin() + static_cast<std::ptrdiff_t>(begin),
                ranked.ranks.begin() + static_cast<std::ptrdiff_t>(end));
      continue;
    }
    set.clear();
    for (std::uint64_t i = begin; i < end; ++i)
      set.emplace_back(ranked.ranks[i], ranked.weights[i]);
    std::sort(set.begin(), set.end());
    for (std::uint64_t i = begin; i < end; ++i)
      std::tie(ranked.ranks[i], ranked.weights[i]) = set[i - begin];
  }
}

// A feature of a set, and its place in RankedSets::ranks.
struct Occurrence {
  std::uint64_t feature;
  std::uint64_t place;
};

// Returns the features of all sets, sorted. They are sorted in 256 parts, so that the stop flag is
// looked at often: hashes are spread evenly over the parts.
std::vector<Occurrence> sorted_occurrences(const std::vector<FeatureSet>& sets, Weighting weighting,
                                           const std::atomic<bool>* stop) {
  constexpr std::size_t kParts = 256;
  const std::uint64_t mask = weighting == Weighting::kWeights ? ~kWeightBits : ~std::uint64_t{0};
  const auto each = [&](auto&& visit) {
    std::uint64_t place = 0;
    for (std::size_t s = 0; s < sets.size(); ++s) {
      if (s % kSets == 0) throw_if_stopped(stop);
      for (const std::uint64_t feature : sets[s].features()) visit(feature & mask, place++);
    }
  };
  std::array<std::uint64_t, kParts + 1> starts{};
  each([&](std::uint64_t feature, std::uint64_t) { ++starts[(feature >> 56) + 1]; });
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<Occurrence> out(starts.back());
  auto next = starts;
  each([&](std::uint64_t feature, std::uint64_t place) {
    out[next[feature >> 56]++] = {feature, place};
  });
  for (std::size_t part = 0; part < kParts; ++part) {
    throw_if_stopped(stop);
    ips4o::sort(out.begin() + static_cast<std::ptrdiff_t>(starts[part]),
                out.begin() + static_cast<std::ptrdiff_t>(starts[part + 1]),
                [](const Occurrence& x, const Occurrence& y) { return x.feature < y.feature; });
  }
  return out;
}

RankedSets rank_features(const std::vector<FeatureSet>& sets, Weighting weighting,
                         const std::atomic<bool>* stop) {
  RankedSets ranked;
  ranked.starts.reserve(sets.size() + 1);
  ranked.starts.push_back(0);
  for (const FeatureSet& set : sets) {
    if (weighting == Weighting::kWeights)
      for (const std::uint64_t feature : set.features())
        ranked.weights.push_back(weight_of(feature));
    ranked.starts.push_back(ranked.starts.back() + set.features().size());
    ranked.sizes.push_back(size_of(set.features(), weighting));
  }
  const std::vector<Occurrence> occurrences = sorted_occurrences(sets, weighting, stop);

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
  if (runs.size() > std::numeric_limits<Rank>::max())
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("the sets have {} different features; an exact join takes {}",
                            runs.size(), std::numeric_limits<Rank>::max()));
  // Most features occur once.
  const auto shared = std::stable_partition(runs.begin(), runs.end(),
                                            [](const Run& run) { return run.length == 1; });
  throw_if_stopped(stop);
  std::stable_sort(shared, runs.end(),
                   [](const Run& x, const Run& y) { return x.length < y.length; });
  throw_if_stopped(stop);
  ranked.ranks.resize(occurrences.size());
  for (Rank rank = 0; rank < runs.size(); ++rank) {
    const Run& run = runs[rank];
    for (std::uint64_t i = run.start; i < run.start + run.length; ++i)
      ranked.ranks[occurrences[i].place] = rank;
    if (run.length == 1) ranked.first_shared = rank + 1;
  }
  ranked.rank_count = static_cast<Rank>(runs.size());
  sort_by_rank(ranked, stop);
  return ranked;
}

// Returns the smallest intersection of a set of this size with a set that is similar: ceil(t n).
std::uint64_t least_intersection(std::uint64_t size, const Threshold& threshold) {
  const Uint128 denominator = threshold.denominator();
  return static_cast<std::uint64_t>((Uint128{size} * threshold.numerator() + denominator - 1) /
                                    denominator);
}

// Returns how many of the first features must be looked up: those with which enough is left. That
// is n - ceil(t n) + 1 without weights.
std::size_t prefix_length(const RankedSets& ranked, std::uint32_t number,
                          const Threshold& threshold) {
  const std::uint64_t size = ranked.sizes[number];
  if (size == 0) return 0;
  const std::uint64_t least = least_intersection(size, threshold);
  if (ranked.weights.empty()) return static_cast<std::size_t>(size - least + 1);
  const std::uint64_t* weights = ranked.weights.data() + ranked.starts[number];
  std::size_t length = 0;
  for (std::uint64_t left = size; left >= least; left -= weights[length++]) {
  }
  return length;
}

// A set as merge_overlap() walks through it.
class Walk {
 public:
  Walk(const RankedSets& ranked, std::uint32_t number)
      : ranks_(ranked.set(number)),
        weights_(ranked.weights.empty() ? nullptr : ranked.weights.data() + ranked.starts[number]),
        left_(ranked.sizes[number]) {}

  bool at_end() const noexcept { return at_ == ranks_.size(); }
  Rank rank() const noexcept { return ranks_[at_]; }
  std::uint64_t weight() const noexcept { return weights_ ? weights_[at_] : 1; }
  // Returns the weight of what was not walked through.
  std::uint64_t left() const noexcept { return left_; }
  void next() noexcept {
    left_ -= weight();
    ++at_;
  }

 private:
  std::span<const Rank> ranks_;
  const std::uint64_t* weights_;  // null: each is 1
  std::uint64_t left_;
  std::size_t at_ = 0;
};

// Merges two sets. Returns nothing as soon as they cannot reach the threshold any more.
std::optional<Overlap> merge_overlap(Walk a, Walk b, const Threshold& threshold, Measure measure) {
  const std::uint64_t size_a = a.left(), size_b = b.left();
  const std::uint64_t needed = threshold.needed_intersection(size_a, size_b, measure);
  if (needed > std::min(size_a, size_b)) return std::nullopt;
  std::uint64_t shared = 0;
  while (!a.at_end() && !b.at_end()) {
    if (a.rank() == b.rank()) {
      shared += std::min(a.weight(), b.weight());
      a.next();
      b.next();
    } else {
      Walk& behind = a.rank() < b.rank() ? a : b;
      behind.next();
      if (shared + behind.left() < needed) return std::nullopt;
    }
  }
  if (shared < needed) return std::nullopt;
  return Overlap{
      shared, measure == Measure::kJaccard ? size_a + size_b - shared : std::min(size_a, size_b)};
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
                           const std::vector<std::uint32_t>& prefixes,
                           const std::atomic<bool>* stop) {
  PrefixIndex index;
  index.starts.assign(ranked.rank_count - ranked.first_shared + 1, 0);
  const auto each = [&](auto&& visit) {
    for (std::uint32_t place = 0; place < order.size(); ++place) {
      if (place % kSets == 0) throw_if_stopped(stop);
      for (const Rank rank : ranked.set(order[place]).first(prefixes[place]))
        if (rank >= ranked.first_shared) visit(rank - ranked.first_shared, place);
    }
  };
  each([&](Rank rank, std::uint32_t) { ++index.starts[rank + 1]; });
  std::partial_sum(index.starts.begin(), index.starts.end(), index.starts.begin());
  index.places.resize(index.starts.back());
  std::vector<std::uint64_t> next(index.starts.begin(), index.starts.end() - 1);
  each([&](Rank rank, std::uint32_t place) { index.places[next[rank]++] = place; });
  return index;
}

// Finds, for one set after the other, the similar ones among the sets before it in the order, which
// are not larger; for containment those that contain it, among the sets after it, which are not
// smaller. Threads: one object per thread.
class Prober {
 public:
  Prober(const RankedSets& ranked, const std::vector<std::uint32_t>& order,
         const std::vector<std::uint32_t>& prefixes, const PrefixIndex& index,
         const Threshold& threshold, Measure measure, const std::atomic<bool>* stop)
      : ranked_(ranked),
        order_(order),
        prefixes_(prefixes),
        index_(index),
        threshold_(threshold),
        measure_(measure),
        stop_(stop) {}

  void probe(std::uint32_t place, std::vector<SimilarSets>& found) {
    const std::span<const Rank> x = ranked_.set(order_[place]);
    collect_candidates(place, x);
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      if ((i & 1023) == 0) throw_if_stopped(stop_);
      const std::uint32_t other = order_[candidates_[i]];
      const auto common =
          merge_overlap({ranked_, order_[place]}, {ranked_, other}, threshold_, measure_);
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
      if (measure_ == Measure::kContainment) {
        candidates_.insert(candidates_.end(), self + 1, places.end());
        continue;
      }
      const auto large_enough = std::partition_point(places.begin(), self, [&](std::uint32_t y) {
        return !threshold_.reached(ranked_.sizes[order_[y]], ranked_.sizes[order_[place]]);
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
  Measure measure_;
  const std::atomic<bool>* stop_;
  std::vector<std::uint32_t> candidates_;
};

}  // namespace

std::vector<SimilarSets> exact_join(const std::vector<FeatureSet>& sets, const Threshold& threshold,
                                    int threads, const std::atomic<bool>* stop, Weighting weighting,
                                    Measure measure) {
  const RankedSets ranked = rank_features(sets, weighting, stop);

  // The order is by size: then only sets before a set need to be looked at, and those that are too
  // small are at the beginning of every list. For containment only sets after it need to be.
  std::vector<std::uint32_t> order(sets.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t x, std::uint32_t y) {
    return ranked.sizes[x] < ranked.sizes[y];
  });
  std::vector<std::uint32_t> prefixes(order.size());
  for (std::size_t place = 0; place < order.size(); ++place)
    prefixes[place] = static_cast<std::uint32_t>(prefix_length(ranked, order[place], threshold));
  std::vector<std::uint32_t> indexed = prefixes;
  if (measure == Measure::kContainment)
    for (std::size_t place = 0; place < order.size(); ++place)
      indexed[place] = static_cast<std::uint32_t>(ranked.set(order[place]).size());
  const PrefixIndex index = index_prefixes(ranked, order, indexed, stop);

  std::mutex mutex;
  std::vector<SimilarSets> found;
  parallel_for(resolve_threads(threads), order.size(), 1024,
               [&](std::size_t begin, std::size_t end) {
                 Prober prober(ranked, order, prefixes, index, threshold, measure, stop);
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
