// What similar pairs make of documents, whoever numbers these: families of those that are
// connected, and of each document the one because of which it goes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace benzer {

// Because of whom a document goes, or came into its family. Numbers are in keep order.
struct Witness {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::uint32_t number = kNone;
  double score = 0;

  bool is_known() const noexcept { return number != kNone; }
  // The most similar one stays, of equal ones the first.
  void offer(std::uint32_t other, double with) noexcept {
    if (!is_known() || with > score || (with == score && other < number)) *this = {other, with};
  }
};

// Disjoint sets with path halving: connected components. The root of a family is its first member.
class Families {
 public:
  explicit Families(std::uint32_t size) : parent_(size) {
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
