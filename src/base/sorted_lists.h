// Counts what two sorted lists have in common.
#pragma once

#include <cstddef>

namespace benzer {

// An element that both lists repeat counts as often as in the list that has it less often.
template <class List>
std::size_t count_common(const List& a, const List& b) noexcept {
  std::size_t common = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    common += a[i] == b[j];
    const bool step_a = a[i] <= b[j], step_b = b[j] <= a[i];
    i += step_a;
    j += step_b;
  }
  return common;
}

}  // namespace benzer
