// Reading damaged files of a store as far as they are sound. Whatever these functions hand out has
// had the right checksum at its place; pages that cannot be read count as damaged.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "store/disk/segment_bytes.h"
#include "store/disk/store_folder.h"
#include "store/store.h"

namespace benzer {

struct SalvagedSegment {
  std::vector<bool> found;  // of each number up to the last that was found
  bool has_end = false;     // no document followed the last one
  // Copies whose own records are whole, but that of their original is not: by number, with the id.
  std::map<DocumentNumber, std::string> lost_copies;
};
// visit(record) for all records that are whole, wherever they lie: neither seal nor tables are
// needed. Copies come with what their original has. Errors: Error(kStorageFailed).
SalvagedSegment salvage_segment(const std::string& path, const HashLayout& layout,
                                const std::function<void(segment_bytes::ReadRecord&)>& visit);

struct SalvagedList {
  RemovedList list;  // segment 0: it is not known
  // How many numbers may be missing; nothing: it cannot be told.
  std::optional<std::uint64_t> missing;
};
SalvagedList salvage_removed(const std::string& path);

}  // namespace benzer
