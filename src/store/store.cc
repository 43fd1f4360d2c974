#include "store/store.h"

#include <algorithm>

namespace benzer {

std::uint64_t StoreReader::count_copies(DocumentNumber original) {
  std::uint64_t out = 0;
  for_each_copy(original, [&](DocumentNumber) {
    ++out;
    return true;
  });
  return out;
}

// Keeps a heap of the `most` smallest ids so far: memory does not grow with the number of copies.
std::vector<DocumentNumber> StoreReader::first_copies(DocumentNumber original, std::size_t most) {
  std::vector<std::pair<std::string_view, DocumentNumber>> first;  // a heap, the largest id on top
  if (most == 0) return {};
  for_each_copy(original, [&](DocumentNumber copy) {
    const std::pair<std::string_view, DocumentNumber> next{id(copy), copy};
    if (first.size() == most) {
      if (next >= first.front()) return true;
      std::pop_heap(first.begin(), first.end());
      first.pop_back();
    }
    first.push_back(next);
    std::push_heap(first.begin(), first.end());
    return true;
  });
  std::sort_heap(first.begin(), first.end());
  std::vector<DocumentNumber> out;
  for (const auto& [id, copy] : first) out.push_back(copy);
  return out;
}

}  // namespace benzer
