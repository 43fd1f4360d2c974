#include "dedup/below_sample.h"

#include <algorithm>
#include <functional>

#include "base/splitmix.h"

namespace benzer {
namespace {

constexpr std::size_t kMostSampled = std::size_t{1} << 18;
// So many that a few clusters of near-copies do not take all places.
constexpr std::size_t kMostNearest = 2000;

bool is_nearer(const ScoredPair& x, const ScoredPair& y) {
  return x.score != y.score ? x.score > y.score : x < y;
}

template <class Less>
void sort_and_drop_repeats(std::vector<ScoredPair>& pairs, Less less) {
  std::sort(pairs.begin(), pairs.end(), less);
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
}

bool is_sampled(const ScoredPair& pair, int level) {
  const std::uint64_t hash = splitmix64(std::uint64_t{pair.a} << 32 | pair.b);
  return level == 0 || hash >> (64 - level) == 0;
}

}  // namespace

void BelowSample::add(const ScoredPair& pair) {
  const auto [a, b] = std::minmax(sets_.document[pair.a], sets_.document[pair.b]);
  const ScoredPair added{a, b, pair.score};
  if (is_sampled(added, level_)) {
    sample_.push_back(added);
    if (sample_.size() == 2 * kMostSampled) thin_out();
  }
  if (added.score >= least_) {
    nearest_.push_back(added);
    if (nearest_.size() == 2 * kMostNearest) keep_nearest();
  }
}

// Raises the level to the lowest at which the different pairs so far fit. So the level does not
// depend on when this is called.
void BelowSample::thin_out() {
  sort_and_drop_repeats(sample_, std::less<>());
  while (sample_.size() > kMostSampled) {
    ++level_;
    std::erase_if(sample_, [&](const ScoredPair& pair) { return !is_sampled(pair, level_); });
  }
}

void BelowSample::keep_nearest() {
  sort_and_drop_repeats(nearest_, is_nearer);
  if (nearest_.size() < kMostNearest) return;
  nearest_.resize(kMostNearest);
  least_ = nearest_.back().score;
}

PairsBelow BelowSample::finish() {
  thin_out();
  keep_nearest();
  PairsBelow out;
  out.sample = std::move(sample_);
  out.one_of = std::uint64_t{1} << level_;
  out.nearest = std::move(nearest_);
  out.is_complete = complete_;
  return out;
}

}  // namespace benzer
