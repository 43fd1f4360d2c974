// Looks up documents of a store by their ids, for an index whose documents may expire.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "benzer/schema.h"

#include "store/store.h"

namespace benzer {

// Returns the document with this id, unless it has expired.
std::optional<DocumentNumber> find_live(StoreReader& reader, const Schema& schema,
                                        std::string_view id);
// Returns which of the ids are those of documents that have expired: each of these once, since what
// is written under an id for the second time finds what was written before.
std::vector<bool> find_expired(StoreReader& reader, const Schema& schema,
                               std::span<const std::string_view> ids);

}  // namespace benzer
