// Which documents with the features of an original a query is about, and how many there are.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "benzer/runtime.h"

#include "engine/attributes.h"
#include "store/store.h"

namespace benzer {

// Calls visit(copy) for the copies that the query is about. Without a condition, only for those
// with the smallest ids, which may be among the best: one more than the limit, as one of them may
// be the query itself, which the caller leaves out.
template <class Visit>
void for_each_wanted_copy(StoreReader& reader, const AttributeFilter& filter,
                          DocumentNumber original, std::size_t limit, const std::atomic<bool>* stop,
                          Visit visit) {
  if (!filter.is_needed()) {
    const std::size_t most = std::max(limit, limit + 1);  // the limit may be the largest number
    for (const DocumentNumber copy : reader.first_copies(original, most)) visit(copy);
    return;
  }
  reader.for_each_copy(original, [&](DocumentNumber copy) {
    throw_if_stopped(stop);
    if (filter.passes(reader, copy)) visit(copy);
    return true;
  });
}

// Returns how many documents have the features of the original, which has so many copies, itself
// included, but without the one with this id, which may be empty. Not for queries with a condition.
inline std::uint64_t count_others(StoreReader& reader, DocumentNumber original,
                                  std::uint64_t copies, std::string_view id) {
  if (id.empty()) return copies + 1;
  if (reader.id(original) == id) return copies;
  if (copies == 0) return 1;
  const std::optional<DocumentNumber> own = reader.find(id);
  return own && reader.original(*own) == original ? copies : copies + 1;
}

}  // namespace benzer
