// Loads many documents at once into a store on disk, bypassing its log and its memtable.
#pragma once

#include <cstdint>
#include <memory>

#include "store/disk/disk_store.h"
#include "store/disk/segment_writer.h"

namespace benzer {

// A load is atomic: what it adds is there, and synced, when finish() returns; if the load is
// destroyed before that, nothing of it is kept. Meanwhile readers see the store as it was, and
// writers are refused: they would have to wait for hours, and their documents could be older or
// newer than the loaded ones. Threads: one. Errors: Error(kStorageFailed), also for too many
// documents (whether their ids are new or not), and Error(kBusy) if another load is under way.
// After an error the load must be begun again.
class DiskStore::Load {
 public:
  // The store must outlive the load. The constructor writes what is in memory to a segment first.
  explicit Load(DiskStore& store);
  ~Load();
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

  // Of two documents with the same id the later one is kept.
  void add(const DocumentHashes& document);

  struct Result {
    std::uint64_t documents = 0;  // documents of the load that are now in the store
    std::uint64_t replaced = 0;   // documents that were in the store under their ids
  };
  Result finish();

 private:
  DiskStore& store_;
  std::optional<InWork> number_;  // of the segment
  std::uint64_t before_ = 0;      // documents that were in the store, including removed ones
  std::unique_ptr<SegmentWriter> writer_;
  bool is_sound_ = true;  // false after an error, which may have left half a document
};

}  // namespace benzer
