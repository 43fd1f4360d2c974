// Disjoint sets with path halving. The root of a family is its first member in keep order.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "dedup/distinct_sets.h"

namespace benzer {

class Families {
 public:
  explicit Families(SetNumber size) : parent_(size) {
    std::iota(parent_.begin(), parent_.end(), SetNumber{0});
  }
  SetNumber root(SetNumber s) {
    while (parent_[s] != s) s = parent_[s] = parent_[parent_[s]];
    return s;
  }
  void join(SetNumber a, SetNumber b) {
    a = root(a);
    b = root(b);
    if (a != b) parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<SetNumber> parent_;
};

}  // namespace benzer
