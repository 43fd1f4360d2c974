// Says which of two documents of an index comes first when similar ones are kept or removed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "benzer/index.h"

#include "engine/contents.h"
#include "store/store.h"

namespace benzer {

// With Jaccard similarity the order is that of the index. With containment the document with the
// most features, of all its fields, comes before those that it may contain, and of equally large
// ones the first in the index. The earlier document of a pair is the one that looks the other one
// up: documents with few features are stored under all of these, so a larger one is certain to find
// them, and the other way round it is not.
//
// Memory: 4 bytes a document with containment. Threads: immutable; share freely.
class KeepRanks {
 public:
  // With containment, reads the features of all documents.
  KeepRanks(const Schema& completed, StoreReader& reader, const Contents& contents,
            const WholeIndexOptions& options);

  bool precedes(DocumentNumber a, DocumentNumber b) const noexcept {
    if (sizes_.empty() || sizes_[a] == sizes_[b]) return a < b;
    return sizes_[a] > sizes_[b];
  }
  // Puts documents that are sorted by number in order.
  void sort(std::span<DocumentNumber> documents) const;

 private:
  std::vector<std::uint32_t> sizes_;  // features, by number; empty with Jaccard similarity
};

}  // namespace benzer
