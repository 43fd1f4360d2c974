// Collapses documents with equal features, and numbers what is left in keep order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "benzer/dedup.h"

#include "dedup/sketch_pass.h"

namespace benzer {

using SetNumber = std::uint32_t;
inline constexpr SetNumber kNoSet = ~SetNumber{0};

// The distinct, non-empty feature sets that take part in pairs. Set 0 belongs to the first document
// in keep order.
struct DistinctSets {
  std::vector<std::uint32_t> document;  // of each set: its first document in keep order
  std::vector<SetNumber> set_of;        // of each document; kNoSet: it takes no part
  std::vector<std::uint32_t> order;     // all documents that take part, in keep order
  std::vector<bool> only_references;    // of each set: all its documents are references
  std::uint64_t exact_duplicates = 0;   // documents that are not the first of their set; of
                                        // references none

  SetNumber size() const noexcept { return static_cast<SetNumber>(document.size()); }
};

// Are two sets compared at all? Not if both are of references only, or of different groups.
inline bool may_be_similar(const SketchTable& table, const DistinctSets& sets, SetNumber a,
                           SetNumber b) noexcept {
  return !(sets.only_references[a] && sets.only_references[b]) &&
         table.facts.row(sets.document[a])->group == table.facts.row(sets.document[b])->group;
}

// References come first in any keep order.
DistinctSets collapse(const Corpus& corpus, const SketchTable& table, const KeepOrder& keep,
                      ShortPolicy short_policy);

}  // namespace benzer
