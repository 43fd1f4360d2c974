// An index that lives as long as the process.
#pragma once

#include "base/rw_lock.h"
#include "store/memory/memtable.h"

namespace benzer {

// Readers share it, a writer has it alone. Errors: std::bad_alloc, and Error(kStorageFailed) for a
// document more than a Memtable takes.
class MemoryStore : public Store {
 public:
  explicit MemoryStore(const HashLayout& layout) : table_(layout) {}
  std::unique_ptr<StoreReader> reader() const override;
  std::unique_ptr<StoreWriter> writer() override;
  StoreBytes bytes() const override;
  WriteLevel level() const override { return {Durability::kMemory, 0}; }
  void snapshot(const std::string& folder) const override;  // Error(kInvalidArgument)

 private:
  mutable RwLock lock_;
  Memtable table_;
};

}  // namespace benzer
