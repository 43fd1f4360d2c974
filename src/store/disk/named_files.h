// Opens the files that a manifest names, and checks that they are the ones it means.
#pragma once

#include <cstdint>
#include <memory>

#include "store/disk/segment.h"
#include "store/disk/store_folder.h"

namespace benzer {

// Errors: Error(kCorrupt), also for a file that another one was put in the place of, and
// Error(kStorageFailed), each naming the file.
std::shared_ptr<const Segment> open_named_segment(const StoreFolder& folder,
                                                  const Manifest::Part& named,
                                                  const HashLayout& layout,
                                                  std::uint64_t fingerprint);

struct NamedRemoved {
  Seal seal;
  RemovedList list;  // of documents that are in the segment
};
// named: a part with such a list, and the segment that it names.
NamedRemoved read_named_removed(const StoreFolder& folder, const Manifest::Part& named,
                                const Segment& segment);

// How often files are opened once more because a writer has replaced some of them.
inline constexpr int kMostRetries = 100;
// Throws the Error(kBusy) of whoever has tried that often.
[[noreturn]] void throw_replaced_too_often(const StoreFolder& folder);

}  // namespace benzer
