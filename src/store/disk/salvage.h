// Reads damaged files of a store as far as they are sound. All that these functions return had the
// right checksum at its place; pages that cannot be read count as damaged.
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
  std::vector<bool> found;  // by number, up to the last document that was found
  bool has_end = false;     // no document followed the last one
  // The ids of copies whose own records are whole, but not those of their originals; by number.
  std::map<DocumentNumber, std::string> lost_copies;
};
// Calls visit(record) for all whole records, wherever they are: neither seal nor tables are needed.
// Copies get the fields of their originals. Errors: Error(kStorageFailed).
SalvagedSegment salvage_segment(const std::string& path, const HashLayout& layout,
                                const std::function<void(segment_bytes::ReadRecord&)>& visit);

struct SalvagedList {
  RemovedList list;  // segment 0: it is not known
  // How many numbers may be missing; nothing: it cannot be told.
  std::optional<std::uint64_t> missing;
};
SalvagedList salvage_removed(const std::string& path);

}  // namespace benzer
