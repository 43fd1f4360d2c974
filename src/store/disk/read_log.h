// Reading the log of a store: as a store does that is opened, and as a repair does.
//
// A log may be larger than the memory, and is read piece by piece.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "store/disk/log_record.h"
#include "store/disk/store_folder.h"
#include "store/disk/sync_mark.h"

namespace benzer {

struct LogRead {
  std::uint64_t bytes = 0;   // of whole records; what follows is torn
  std::uint64_t torn = 0;    // bytes
  std::uint64_t synced = 0;  // bytes that are known to be on the disk
  std::uint64_t next_number = 0;
};

// Reads a log from the record `first` on, of which so many bytes are known to be synced. Throws
// Error(kCorrupt) for damage that is not a torn end, Error(kInvalidArgument) for a log of a later
// version.
LogRead read_log(const std::string& path, const HashLayout& layout, std::uint64_t first,
                 std::uint64_t synced, const std::function<void(LogRecord&)>& visit);

// The logs of a store, one behind the other.
class LogChain {
 public:
  // mark: of the store, read before its manifest is; so what was synced by then is in the logs that
  // are read later.
  LogChain(const StoreFolder& folder, const HashLayout& layout,
           std::optional<SyncMark::Place> mark);

  // Those that the manifest counts, in order. Throws Error(kCorrupt) if the first one, or one that
  // was synced, is missing.
  const std::vector<std::uint64_t>& begin(const Manifest& manifest);
  // Reads the next one. Throws Error(kCorrupt) for one before it, too, that has lost its end, as
  // soon as this one has a record.
  LogRead read(const std::function<void(LogRecord&)>& visit);
  // All were read. Throws Error(kCorrupt) if they lack records that were synced.
  void end();
  // Number of the log that has been called damaged.
  std::uint64_t damaged() const noexcept { return damaged_; }
  // Records before this one were synced; 0: that is not known.
  std::uint64_t synced_number() const noexcept { return mark_ ? mark_->next_number : 0; }

 private:
  const StoreFolder& folder_;
  const HashLayout layout_;
  std::optional<SyncMark::Place> mark_;  // nothing, too, if it is about logs that do not count
  std::vector<std::uint64_t> logs_;
  std::size_t next_log_ = 0;
  std::uint64_t next_number_ = 1;
  std::uint64_t torn_ = 0, damaged_ = 0;  // numbers of logs
};

struct SalvagedLog {
  std::uint64_t records = 0;  // that were whole
  std::uint64_t unfit = 0;    // whole, but of another store
  // Whole, and not of this place: numbers that were there before, or cannot be there yet.
  std::uint64_t passed_over = 0;
  std::uint64_t skipped = 0;  // bytes that are in no whole record, or cannot be read
};
// visit(record) for all whole records of a damaged log, whatever lies between them; their numbers
// ascend and are above `last`, which becomes the last one.
SalvagedLog salvage_log(const std::string& path, const HashLayout& layout, std::uint64_t& last,
                        const std::function<void(LogRecord&)>& visit);

}  // namespace benzer
