// Declares the store of an index that lives as long as the process.
#pragma once

#include <mutex>

#include "store/memory/memtable.h"
#include "store/versions.h"

namespace benzer {

// Writers take turns. A reader has the version that was the latest when it began, and blocks
// nobody. Errors: std::bad_alloc, and Error(kStorageFailed) for more documents than a Memtable
// takes.
class MemoryStore : public Store {
 public:
  explicit MemoryStore(const HashLayout& layout) : table_(layout) {}
  std::unique_ptr<StoreReader> reader() const override;
  std::unique_ptr<StoreWriter> writer() override;
  StoreBytes bytes() const override;
  WriteLevel level() const override { return {Durability::kMemory, 0}; }
  // Always throws Error(kInvalidArgument).
  SnapshotResult snapshot(const std::string& folder, const SnapshotOptions& options,
                          const WriteBeside& beside) const override;

 private:
  class Reader;
  class Writer;
  template <class Base>
  class Access;
  // A version of the table, as readers see it.
  struct State {
    Version at;
    DocumentNumber end;
    std::uint64_t documents;
  };

  Memtable table_;
  std::mutex writing_;
  mutable Versions<State> versions_{{0, 0, 0}};
};

}  // namespace benzer
