// Computes the Jaccard similarity of sorted lists by counting; each of the five documents does it
// in its own way.
#pragma once

#include <cstddef>

#include "base/sorted_lists.h"

namespace benzer::classics {

inline double share(std::size_t part, std::size_t whole) noexcept {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

template <class List>
double jaccard_of_sorted(const List& a, const List& b) noexcept {
  const std::size_t common = count_common(a, b);
  return share(common, a.size() + b.size() - common);
}

}  // namespace benzer::classics
