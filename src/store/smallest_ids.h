// Keeps the documents with the smallest ids of all that it is given.
#pragma once

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "store/store.h"

namespace benzer {

// Memory grows with `most`, and not with the number of documents. Ids must stay valid.
class SmallestIds {
 public:
  explicit SmallestIds(std::size_t most) : most_(most) {}

  bool has_room_for(std::string_view id) const noexcept {
    return heap_.size() < most_ || (most_ > 0 && id < heap_.front().first);
  }
  void offer(std::string_view id, DocumentNumber document) {
    const std::pair<std::string_view, DocumentNumber> next{id, document};
    if (heap_.size() == most_) {
      if (most_ == 0 || next >= heap_.front()) return;
      std::pop_heap(heap_.begin(), heap_.end());
      heap_.pop_back();
    }
    heap_.push_back(next);
    std::push_heap(heap_.begin(), heap_.end());
  }
  // In order of id. Call it once.
  std::vector<DocumentNumber> take() {
    std::sort_heap(heap_.begin(), heap_.end());
    std::vector<DocumentNumber> out;
    for (const auto& [id, document] : heap_) out.push_back(document);
    return out;
  }

 private:
  std::size_t most_;
  std::vector<std::pair<std::string_view, DocumentNumber>> heap_;  // the largest id on top
};

}  // namespace benzer
