// How a snapshot of a store is made, and what it took.
#pragma once

#include <cstdint>

namespace benzer {

struct SnapshotOptions {
  // Segments, and the lists of what was removed from them, never change. So the snapshot has them
  // by other names of the same files (hard links), which takes no time and no room; but a bit that
  // the disk flips is then in both. With copy they are copied. So they are, too, where the file
  // system has no links, or the folder is on another one.
  bool copy = false;
};

// Bytes of segments, lists and logs.
struct SnapshotResult {
  std::uint64_t linked_bytes = 0;  // shared with the store
  std::uint64_t copied_bytes = 0;
};

}  // namespace benzer
