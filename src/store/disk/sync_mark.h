// Notes up to where the log of a store was synced, in a file next to the log, so that a damaged end
// of the log can be told from one that nobody was promised.
//
// The mark is moved after each sync. The system may write it later, except when a store is closed
// or a snapshot is taken. So after a loss of power it may be an earlier one, or missing, but it
// never says too much. Two places in the file are written in turn, so that a loss of power in the
// middle of a write damages only one.
//
// A place that such a write has damaged cannot be told from one that the disk has damaged later. So
// a damaged place counts as never written, the next sync overwrites it, and neither verifying nor
// repairing a store reports it: a store would be called damaged after a mere loss of power.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "base/file.h"

namespace benzer {

// Threads: any number.
class SyncMark {
 public:
  struct Place {
    std::uint64_t log = 0;          // number of the log; all logs before it were synced
    std::uint64_t bytes = 0;        // that were synced of this log
    std::uint64_t next_number = 0;  // all records before this one were synced
    auto operator<=>(const Place&) const = default;
  };

  // Returns nothing if there is no file, or no whole place in it. Throws Error(kStorageFailed).
  static std::optional<Place> read(const std::string& path);

  // Opens the file, or makes it. Throws Error(kStorageFailed).
  explicit SyncMark(const std::string& path);
  // Moves the mark to a later place. If that fails, an earlier one remains.
  void move(const Place& place) noexcept;
  void sync() noexcept;

 private:
  std::mutex mutex_;
  FileHandle file_;
  std::optional<Place> last_;
  int next_slot_ = 0;
};

}  // namespace benzer
