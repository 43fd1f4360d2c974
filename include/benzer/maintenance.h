// What a store in a folder does in the background, and what it says when that fails.
#pragma once

#include <cstdint>
#include <string>

namespace benzer {

// The last failure of writing what is in memory to a segment, or of merging segments. Nothing is
// lost by it, and each write tries again; but where it goes on, memory, the log or the number of
// segments grow, until writers are refused.
struct MaintenanceProblem {
  // Seconds since 1970, UTC. While the same goes on, the first time, and its sentence: two that
  // differ in numbers only, as those of files do, are the same.
  std::int64_t at = 0;
  std::string sentence;  // of the error: the file, and what is wrong with it
  friend bool operator==(const MaintenanceProblem&, const MaintenanceProblem&) = default;
};

// What has been done in the background, and how long writers have waited for it, since this process
// opened the store.
struct UpkeepStats {
  std::uint64_t flushes = 0;  // each wrote what was in memory to a segment
  std::uint64_t merges = 0;   // of segments to one
  // Tries of either that failed, and not only those with another MaintenanceProblem.
  std::uint64_t failures = 0;
  // Under way now: merges, and the bytes of the segments that they read.
  std::uint64_t merges_running = 0, merging_bytes = 0;
  // A stall is the wait of one writer for flushing, or for merging, that was far behind: with four
  // times the memory for new documents, or 24 segments.
  std::uint64_t stalls = 0;           // that have ended
  std::uint64_t stalled_writers = 0;  // that wait now
  double stall_seconds = 0;           // of all stalls that have ended
  double longest_stall_seconds = 0;
  friend bool operator==(const UpkeepStats&, const UpkeepStats&) = default;
};

}  // namespace benzer
