// The documents of an index with their copies, for questions to the whole of it.
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "store/store.h"

namespace benzer {

// As one reader names them. Memory: 4 bytes a document, 8 more a copy, and where there are copies
// another 4 an original. Threads: immutable; share freely.
class Contents {
 public:
  // Goes through all documents.
  explicit Contents(StoreReader& reader);

  // All, ascending: the order of the store, in which documents were put in, as far as they were not
  // moved.
  std::span<const DocumentNumber> documents() const noexcept { return documents_; }
  // Of these the ones that are no copies.
  std::span<const DocumentNumber> originals() const noexcept {
    return copies_.empty() ? documents_ : originals_;
  }

  // By the number of an original; its copies' numbers may be smaller than its own.
  std::size_t count_copies(DocumentNumber original) const noexcept {
    return copies_of(original).size();
  }
  DocumentNumber first(DocumentNumber original) const noexcept {
    const auto copies = copies_of(original);
    return copies.empty() ? original : std::min(original, copies.front().copy);
  }
  DocumentNumber last(DocumentNumber original) const noexcept {
    const auto copies = copies_of(original);
    return copies.empty() ? original : std::max(original, copies.back().copy);
  }
  // visit(document) for the original and its copies, ascending.
  template <class Visit>
  void for_each(DocumentNumber original, Visit visit) const {
    bool is_visited = false;
    for (const Copy& one : copies_of(original)) {
      if (!is_visited && original < one.copy) {
        is_visited = true;
        visit(original);
      }
      visit(one.copy);
    }
    if (!is_visited) visit(original);
  }

 private:
  struct Copy {
    DocumentNumber original, copy;
    friend auto operator<=>(const Copy&, const Copy&) = default;
  };
  std::span<const Copy> copies_of(DocumentNumber original) const noexcept {
    if (copies_.empty()) return {};
    const auto [begin, end] = std::ranges::equal_range(copies_, original, {}, &Copy::original);
    return {begin, end};
  }

  std::vector<DocumentNumber> documents_;
  std::vector<DocumentNumber> originals_;  // empty if there are no copies
  std::vector<Copy> copies_;               // ascending
};

}  // namespace benzer
