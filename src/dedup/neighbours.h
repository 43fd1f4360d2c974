// The confirmed pairs as lists of neighbours, both ways.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dedup/verify_pass.h"

namespace benzer {

struct Neighbour {
  SetNumber set;
  double score;
};

class Neighbours {
 public:
  Neighbours(SetNumber set_count, std::span<const VerifiedPair> pairs)
      : starts_(std::size_t{set_count} + 1, 0), lists_(2 * pairs.size()) {
    for (const VerifiedPair& pair : pairs) {
      ++starts_[pair.a + 1];
      ++starts_[pair.b + 1];
    }
    for (std::size_t s = 0; s < set_count; ++s) starts_[s + 1] += starts_[s];
    std::vector<std::uint64_t> next(starts_.begin(), starts_.end() - 1);
    for (const VerifiedPair& pair : pairs) {
      lists_[next[pair.a]++] = {pair.b, pair.score};
      lists_[next[pair.b]++] = {pair.a, pair.score};
    }
  }

  std::span<const Neighbour> of(SetNumber set) const {
    return {lists_.data() + starts_[set], starts_[set + 1] - starts_[set]};
  }

 private:
  std::vector<std::uint64_t> starts_;
  std::vector<Neighbour> lists_;
};

}  // namespace benzer
