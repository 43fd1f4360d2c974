// Reads the log of a store, for a store that is opened and for a repair.
//
// A log may be larger than the memory, and is read piece by piece.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
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

inline constexpr std::uint64_t kWholeLog = std::numeric_limits<std::uint64_t>::max();

// Reads a log from the record `first` on; `synced` bytes of it are known to be on the disk. Does as
// if the log ended after `most` bytes. Throws Error(kCorrupt) for damage that is not a torn end,
// Error(kInvalidArgument) for a log of a later version.
LogRead read_log(const std::string& path, const HashLayout& layout, std::uint64_t first,
                 std::uint64_t synced, const std::function<void(LogRecord&)>& visit,
                 std::uint64_t most = kWholeLog);

// Reads the logs of a store, one after the other, up to where they ended when begin() was called: a
// process may write to them meanwhile.
class LogChain {
 public:
  // mark: of the store, read before its manifest. So what was synced by then is in the logs, which
  // are read later.
  LogChain(const StoreFolder& folder, const HashLayout& layout,
           std::optional<SyncMark::Place> mark);

  // Returns the logs that count according to the manifest, in order. Throws Error(kCorrupt) if the
  // first one, or one that was synced, is missing.
  const std::vector<std::uint64_t>& begin(const Manifest& manifest);
  // Reads the next log; a last one that is gone, and had no records when it was listed, counts as
  // empty.
  // Throws Error(kCorrupt) also for an earlier log that has lost its end, as soon as this one has a
  // record.
  LogRead read(const std::function<void(LogRecord&)>& visit);
  // Call it when all logs were read. Throws Error(kCorrupt) if they lack records that were synced.
  void end();
  // The number of the log that was reported as damaged.
  std::uint64_t damaged() const noexcept { return damaged_; }
  // Records before this one were synced; 0: that is not known.
  std::uint64_t synced_number() const noexcept { return mark_ ? mark_->next_number : 0; }

 private:
  const StoreFolder& folder_;
  const HashLayout layout_;
  std::optional<SyncMark::Place> mark_;  // empty also if it is about logs that do not count
  std::vector<std::uint64_t> logs_;
  std::vector<std::uint64_t> sizes_;  // of the logs when they were listed, in bytes
  std::size_t next_log_ = 0;
  std::uint64_t next_number_ = 1;
  std::uint64_t torn_ = 0, damaged_ = 0;  // numbers of logs
};

struct SalvagedLog {
  std::uint64_t records = 0;  // whole records that were visited
  std::uint64_t unfit = 0;    // whole, but of another store
  // Whole, but not of this place: their number was passed already, or cannot be reached yet.
  std::uint64_t passed_over = 0;
  std::uint64_t skipped = 0;  // bytes that are in no whole record, or cannot be read
};
// Calls visit(record) for all whole records of a damaged log, whatever is between them. Their
// numbers ascend and are larger than `last`, which becomes the number of the last one.
SalvagedLog salvage_log(const std::string& path, const HashLayout& layout, std::uint64_t& last,
                        const std::function<void(LogRecord&)>& visit);

}  // namespace benzer
