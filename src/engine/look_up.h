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
}  // namespace benzer
