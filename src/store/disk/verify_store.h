// Reads every byte of a store on disk, also while a process writes to it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "store/disk/segment.h"
#include "store/disk/store_folder.h"
#include "store/disk/sync_mark.h"
#include "store/store.h"

namespace benzer {

// Checks the files that count at one moment: schema, manifest, segments with their lists of removed
// documents, and logs up to their torn ends. Writers are not kept waiting.
//
// synced: returns up to where the log is known to be synced, if that is known; what comes before
// must be whole. opened: returns the segment with this number if the caller has it open, or null.
// It is then read as the caller reads it: a page that could not be read stays refused.
//
// Errors: Error(kCorrupt) for the first damage, Error(kStorageFailed) for a file that cannot be
// read, each naming the file, and Error(kBusy) if a writer replaces files faster than they can be
// opened.
void verify_store(const StoreFolder& folder, const HashLayout& layout, std::uint64_t fingerprint,
                  const std::function<std::optional<SyncMark::Place>()>& synced,
                  const std::function<std::shared_ptr<const Segment>(std::uint64_t)>& opened);

}  // namespace benzer
