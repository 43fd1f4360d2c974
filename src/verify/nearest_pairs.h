// Keeps the pairs that are nearest to the threshold, on one side of it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

#include "benzer/similarity.h"

namespace benzer {

// The result does not depend on the order in which pairs are added. Memory: 32 kB.
class NearestPairs {
 public:
  enum class Side { kAbove, kBelow };
  explicit NearestPairs(Side side) : side_(side) {}

  // Pairs with a score of 1 are left out.
  void add(const ScoredPair& pair) {
    if (pair.score == 1) return;
    const auto nearer = [this](const ScoredPair& x, const ScoredPair& y) {
      return is_nearer(x, y);
    };
    if (heap_.size() == kMost) {
      if (!nearer(pair, heap_.front())) return;
      std::pop_heap(heap_.begin(), heap_.end(), nearer);
      heap_.pop_back();
    }
    heap_.push_back(pair);
    std::push_heap(heap_.begin(), heap_.end(), nearer);
  }

  // Returns the pairs, the nearest first; pairs with equal scores in the order of their documents.
  std::vector<ScoredPair> finish() {
    std::sort_heap(heap_.begin(), heap_.end(),
                   [this](const ScoredPair& x, const ScoredPair& y) { return is_nearer(x, y); });
    return std::move(heap_);
  }

 private:
  // So many that large clusters do not use them up.
  static constexpr std::size_t kMost = 2000;

  bool is_nearer(const ScoredPair& x, const ScoredPair& y) const noexcept {
    if (x.score != y.score) return (x.score < y.score) == (side_ == Side::kAbove);
    return std::tuple(x.a, x.b) < std::tuple(y.a, y.b);
  }

  Side side_;
  std::vector<ScoredPair> heap_;  // with the farthest in front
};

}  // namespace benzer
