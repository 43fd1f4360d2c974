// Groups documents that similar pairs connect, and finds for each document the most similar other
// one. Runs on files and indexes share it; each has numbers of its own for its documents.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace benzer {

// The most similar of the documents that were offered: the keeper of a removed document, or its
// link to a component. Numbers are in keep order.
struct MostSimilar {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::uint32_t number = kNone;
  double score = 0;

  bool is_known() const noexcept { return number != kNone; }
  // Takes the document if it is more similar than the one so far, or as similar and earlier.
  void offer(std::uint32_t other, double with) noexcept {
    if (!is_known() || with > score || (with == score && other < number)) *this = {other, with};
  }
};

// Finds connected components by path halving. The root of a set is its member with the lowest
// number.
class DisjointSets {
 public:
  explicit DisjointSets(std::uint32_t size) : parent_(size) {
    std::iota(parent_.begin(), parent_.end(), std::uint32_t{0});
  }
  std::uint32_t root(std::uint32_t s) {
    while (parent_[s] != s) s = parent_[s] = parent_[parent_[s]];
    return s;
  }
  void join(std::uint32_t a, std::uint32_t b) {
    a = root(a);
    b = root(b);
    if (a != b) parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::uint32_t> parent_;
};

}  // namespace benzer
