// Many documents at once into a store on disk, past its log and its memtable.
#pragma once

#include <cstdint>
#include <memory>

#include "store/disk/disk_store.h"
#include "store/disk/segment_writer.h"

namespace benzer {

// All of it, or nothing: what it adds is there, and synced, when finish() returns; when it goes
// without that, nothing of it stays. Meanwhile readers see the store as it was, and writers are
// refused: they would have to wait for hours, and what they wrote could be older or newer than what
// is loaded.
// Threads: one. Errors: Error(kStorageFailed), also for a document more than the store takes (of
// the same id or not), Error(kBusy) if another load is under way. After one it must be begun
// again.
class DiskStore::Load {
 public:
  // The store must outlive it. What is in memory becomes a segment first.
  explicit Load(DiskStore& store);
  ~Load();
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

  // Of two with the same id the later one stays.
  void add(const DocumentHashes& document);

  struct Result {
    std::uint64_t documents = 0;  // that are in the store because of it
    std::uint64_t replaced = 0;   // that were there under their ids
  };
  Result finish();

 private:
  DiskStore& store_;
  std::optional<InWork> number_;  // of the segment
  std::uint64_t before_ = 0;      // documents that are there, removed ones among them
  std::unique_ptr<SegmentWriter> writer_;
  bool is_sound_ = true;  // whatever has failed may have left half a document
};

}  // namespace benzer
