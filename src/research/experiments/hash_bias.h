// Measures the errors of families of simple hash functions on intervals of ids.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "benzer/research/experiments.h"

#include "research/experiments/errors.h"

namespace benzer::experiments {

enum class HashFamily { kLargePrime, kSmallPrime, kMultiplyShift, kBlogShift, kJava };

// Two sets of ids, given as the ranges [from, to) that only A, only B, or both of them have.
struct Layout {
  using Range = std::pair<std::size_t, std::size_t>;
  std::vector<Range> only_a, only_b, both;

  std::size_t ids() const;  // one more than the largest id
  double jaccard() const;
};

// The errors of estimates by 16, 32, ... 1,024 functions, an ErrorSum for each number.
std::vector<ErrorSum> hash_errors(const ExperimentOptions& options, const Layout& layout,
                                  HashFamily family, bool mixed, std::size_t trials);

}  // namespace benzer::experiments
