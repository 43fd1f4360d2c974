// A copy of a store as it is at one moment, also while a process writes to it.
#pragma once

#include <cstdint>
#include <string>

#include "store/store.h"

namespace benzer {

// The folder `to` is made, or must be empty. The copy has what the disk has of the store, and is
// checked; its file BENZER comes last, so that there is all of it or no store.
// Files are copied and not linked, since a damaged one would damage both.
// Errors: Error(kCorrupt) if the original is damaged, Error(kStorageFailed),
// Error(kInvalidArgument) if the folder has files.
void snapshot_store(const std::string& from, const std::string& to, const HashLayout& layout,
                    std::uint64_t fingerprint);

}  // namespace benzer
