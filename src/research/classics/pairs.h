// Compares all pairs of a collection, exactly and by signatures: the two loops that the course
// report times.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "benzer/research/classics/course.h"
#include "benzer/runtime.h"

#include "research/classics/kernels/kernels.h"

namespace benzer::classics {

// Calls take(i, j, common) for all i < j < sets.size() with the number of common terms. The terms
// of i are marked once, and those of each j are looked up in a byte each, where the report uses a
// hash set. Throws Error(kInterrupted) when `stop` (may be null) becomes true.
template <class Take>
void for_each_common(const course::TermSets& sets, const std::atomic<bool>* stop, Take&& take) {
  std::vector<std::uint8_t> marks(sets.num_terms());
  for (std::size_t i = 0; i < sets.size(); ++i) {
    throw_if_stopped(stop);
    for (const std::uint32_t term : sets.terms(i)) marks[term] = 1;
    for (std::size_t j = i + 1; j < sets.size(); ++j) {
      std::uint32_t common = 0;
      for (const std::uint32_t term : sets.terms(j)) common += marks[term];
      take(i, j, common);
    }
    for (const std::uint32_t term : sets.terms(i)) marks[term] = 0;
  }
}

// Calls take(i, j, equal) for all i < j < n, by blocks of j, with how many of the k numbers of two
// rows are equal; 0 if a document has no terms. A block of rows stays in the cache while all
// earlier rows are compared with it. Throws Error(kInterrupted) when `stop` (may be null) becomes
// true.
template <class Take>
void for_each_equal(const std::uint32_t* rows, std::size_t n, std::size_t k,
                    const std::atomic<bool>* stop, Take&& take) {
  constexpr std::size_t kRows = 64;
  const Kernels& kernels = kernels_for(active_cpu_level());
  std::array<std::uint32_t, kRows> equal;
  for (std::size_t begin = 0; begin < n; begin += kRows) {
    const std::size_t end = std::min(n, begin + kRows);
    for (std::size_t i = 0; i + 1 < end; ++i) {
      throw_if_stopped(stop);
      const std::size_t first = std::max(begin, i + 1);
      const std::uint32_t* row = rows + i * k;
      kernels.count_equal(row, rows + first * k, end - first, k, equal.data());
      const bool none = row[0] == course::kNoTerm;
      for (std::size_t j = first; j < end; ++j) take(i, j, none ? 0 : equal[j - first]);
    }
  }
}

// Whether two shares differ by more than eps. Those that are eps apart do not, whichever way the
// doubles were rounded: shares of k slots and of the terms of two documents cannot be closer to eps
// than this, and not there.
inline bool differ_by_more(double a, double b, double eps) noexcept {
  constexpr double kRounding = 1e-12;
  return std::abs(a - b) > eps + kRounding;
}

}  // namespace benzer::classics
