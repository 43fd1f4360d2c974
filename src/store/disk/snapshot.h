// Makes a copy of a store as it is at one moment, also while a process writes to it.
#pragma once

#include <cstdint>
#include <string>

#include "benzer/store.h"

#include "store/disk/store_folder.h"
#include "store/store.h"

namespace benzer {

// The folder `to` is made, or must be empty. It gets what the disk has of the store, which is
// checked, and what `beside` writes. Its file BENZER is written last, so that the copy is complete
// or no store. Its file LOCK keeps others out meanwhile.
//
// Files of segments and of lists of removed documents are linked, unless options.copy is set or the
// system refuses: nothing writes to them once they are sealed, not even a repair, and what replaces
// one has another name. All other files are written in place, so they are copied or made anew.
// Errors: Error(kCorrupt) if the original is damaged, Error(kStorageFailed), also
// if another folder is in its place, Error(kInvalidArgument) if the folder has files, Error(kBusy)
// if another process makes a snapshot in it; and those of `beside`.
SnapshotResult snapshot_store(const StoreFolder& original, const std::string& to,
                              const HashLayout& layout, std::uint64_t fingerprint,
                              const SnapshotOptions& options, const WriteBeside& beside);

}  // namespace benzer
