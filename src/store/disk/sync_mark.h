// Up to where the log of a store was synced, beside the log: so a damaged end of it can be told
// from one that nobody was promised.
//
// Moved after each sync, and left to the system to write, but when a store is closed or a snapshot
// taken: after a loss of power it may be an earlier one, or none, and says no more than is true.
// Two places are written in turn, of which a loss of power hits one.
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
    std::uint64_t log = 0;          // number of the file; all of those before it were synced
    std::uint64_t bytes = 0;        // of it
    std::uint64_t next_number = 0;  // all records before this one were
    auto operator<=>(const Place&) const = default;
  };

  // Nothing: there is no file, or it has no whole place. Throws Error(kStorageFailed).
  static std::optional<Place> read(const std::string& path);

  // Opens the file, or makes it. Throws Error(kStorageFailed).
  explicit SyncMark(const std::string& path);
  // To a later place. What fails leaves an earlier one.
  void move(const Place& place) noexcept;
  void sync() noexcept;

 private:
  std::mutex mutex_;
  FileHandle file_;
  std::optional<Place> last_;
  int next_slot_ = 0;
};

}  // namespace benzer
