// Jaccard similarity by counting, which each of the documents does in its own way.
#pragma once

#include <cstddef>

namespace benzer::classics {

// Of two sorted lists; an element that both have several times counts as often as the one that has
// it less often.
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

inline double share(std::size_t part, std::size_t whole) noexcept {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

template <class List>
double jaccard_of_sorted(const List& a, const List& b) noexcept {
  const std::size_t common = count_common(a, b);
  return share(common, a.size() + b.size() - common);
}

}  // namespace benzer::classics
