// Families of simple hash functions on intervals of ids.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "benzer/research/experiments.h"

#include "research/experiments/errors.h"

namespace benzer::experiments {

enum class HashFamily { kLargePrime, kSmallPrime, kMultiplyShift, kBlogShift, kJava };

// Two sets of ids, as the ranges [from, to) that one or both of them have.
struct Layout {
  using Range = std::pair<std::size_t, std::size_t>;
  std::vector<Range> only_a, only_b, both;

  std::size_t ids() const;  // one more than the largest
  double jaccard() const;
};

// The errors of estimates by 16, 32, ... 1,024 functions.
std::vector<ErrorSum> hash_errors(const ExperimentOptions& options, const Layout& layout,
                                  HashFamily family, bool mixed, std::size_t trials);

}  // namespace benzer::experiments
