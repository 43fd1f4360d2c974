// Lists the documents of an index and which of them are copies, for questions about a whole index.
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "store/store.h"

namespace benzer {

// Documents have the numbers that one reader gives them. Memory: 4 bytes a document, 8 more a copy,
// and if there are copies, another 4 an original. Threads: immutable; share freely.
class Contents {
 public:
  // Goes through all documents.
  explicit Contents(StoreReader& reader);

  // All documents, ascending. This is the order of the store: the order in which documents were put
  // in, except for those that a merge of segments has moved.
  std::span<const DocumentNumber> documents() const noexcept { return documents_; }
  // The documents that are not copies, ascending.
  std::span<const DocumentNumber> originals() const noexcept {
    return copies_.empty() ? documents_ : originals_;
  }

  // These three take the number of an original. first() and last() are the smallest and the largest
  // number of it and its copies, which may have smaller numbers than the original.
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
  // Calls visit(document) for the original and its copies, ascending.
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
