// Lists the documents of an index and which of them are copies, for questions about a whole index.
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "engine/attributes.h"
#include "store/store.h"

namespace benzer {

// Documents have the numbers that one reader gives them. Those that have expired are left out; if
// one of them is the original of others, it stands for these among the originals. Memory: 4 bytes a
// document, 8 more a copy, and if there are copies, another 4 an original. Threads: immutable;
// share freely.
class Contents {
 public:
  // Goes through all documents. live: a filter without conditions.
  Contents(StoreReader& reader, const AttributeFilter& live);

  // All documents, ascending. This is the order of the store: the order in which documents were put
  // in, except for those that a merge of segments has moved.
  std::span<const DocumentNumber> documents() const noexcept { return documents_; }
  // The documents that are not copies, ascending. This also has each original that has expired, but
  // not all of its copies.
  std::span<const DocumentNumber> originals() const noexcept {
    return copies_.empty() ? documents_ : originals_;
  }

  // Whether an original or one of its copies is left; the store may name it in any case.
  bool is_left(DocumentNumber original) const noexcept { return count(original) > 0; }

  // How many of an original and its copies are left.
  std::size_t count(DocumentNumber original) const noexcept {
    return (has_expired(original) ? 0 : 1) + count_copies(original);
  }

  // These three take the number of an original that is left. first() and last() are the smallest
  // and the largest number of it and its copies, which may have smaller numbers than the original.
  std::size_t count_copies(DocumentNumber original) const noexcept {
    return copies_of(original).size();
  }
  DocumentNumber first(DocumentNumber original) const noexcept {
    const auto copies = copies_of(original);
    if (copies.empty()) return original;
    return has_expired(original) ? copies.front().copy : std::min(original, copies.front().copy);
  }
  DocumentNumber last(DocumentNumber original) const noexcept {
    const auto copies = copies_of(original);
    if (copies.empty()) return original;
    return has_expired(original) ? copies.back().copy : std::max(original, copies.back().copy);
  }
  // Calls visit(document) for the original and its copies, ascending; only for those that are left.
  template <class Visit>
  void for_each(DocumentNumber original, Visit visit) const {
    bool is_visited = has_expired(original);
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

  bool has_expired(DocumentNumber document) const noexcept {
    return !expired_.empty() && std::ranges::binary_search(expired_, document);
  }

  std::vector<DocumentNumber> documents_;
  std::vector<DocumentNumber> expired_;    // ascending
  std::vector<DocumentNumber> originals_;  // empty if there are no copies
  std::vector<Copy> copies_;               // ascending
};

}  // namespace benzer
