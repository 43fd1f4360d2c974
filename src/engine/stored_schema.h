// Writes and reads a schema as a store keeps it: its spelling, and with it the document frequencies
// that the spelling names by their marks. So an index needs no file beside its own.
#pragma once

#include <string>
#include <string_view>

#include "benzer/schema.h"

namespace benzer {

// Returns a text of one line (docs/format.md). The schema must be completed.
std::string stored_schema(const Schema& completed);
// Throws Error(kInvalidArgument) for what Schema::parse() refuses, and Error(kCorrupt) for
// document frequencies that are damaged. `where` names the index.
Schema read_stored_schema(std::string_view text, const std::string& where);

}  // namespace benzer
