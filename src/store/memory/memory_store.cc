#include "store/memory/memory_store.h"

#include <mutex>
#include <shared_mutex>
#include <utility>

#include "benzer/error.h"

#include "store/get_ids.h"

namespace benzer {
namespace {

// What reading and writing share. Base: StoreReader or StoreWriter; Lock: what keeps others out.
template <class Base, class Table, class Lock>
class Access : public Base {
 public:
  Access(Table& table, Lock lock) : table_(table), lock_(std::move(lock)) {}

  void get_ids(std::span<const FieldHashes* const> queries,
               std::vector<std::vector<DocumentNumber>>& out) override {
    get_ids_of(
        queries, out, [&](const FieldHashes& query) { table_.prefetch(query); },
        [&](const FieldHashes& query, auto visit) { table_.meet(query, visit); });
  }
  std::optional<DocumentNumber> find(std::string_view id) override { return table_.find(id); }
  std::string_view id(DocumentNumber document) override { return table_.id(document); }
  const std::uint8_t* cut(DocumentNumber document, std::uint32_t field) override {
    return table_.cut(document, field);
  }
  std::span<const std::uint64_t> features(DocumentNumber document, std::uint32_t field) override {
    return table_.features(document, field);
  }
  DocumentHashes get_hashes(DocumentNumber document) override {
    return table_.get_hashes(document);
  }
  void for_each(const std::function<bool(DocumentNumber)>& visit) override {
    for (DocumentNumber number = 0; number < table_.end(); ++number)
      if (table_.is_taken(number) && !visit(number)) return;
  }
  std::uint64_t size() override { return table_.size(); }
  std::unique_ptr<StoreReader> another() const override;

 protected:
  Table& table_;
  Lock lock_;
};

using Reader = Access<StoreReader, const Memtable, std::shared_lock<RwLock>>;

template <class Base, class Table, class Lock>
std::unique_ptr<StoreReader> Access<Base, Table, Lock>::another() const {
  return std::make_unique<Access<StoreReader, const Memtable, NoLock>>(table_, NoLock());
}

class Writer : public Access<StoreWriter, Memtable, std::unique_lock<RwLock>> {
 public:
  using Access::Access;

  bool add_hashes(const DocumentHashes& document) override {
    const std::optional<DocumentNumber> known = table_.find(document.id);
    table_.add(document);
    if (known) table_.remove(*known);
    return known.has_value();
  }
  bool remove(std::string_view id) override {
    const std::optional<DocumentNumber> found = table_.find(id);
    if (found) table_.remove(*found);
    return found.has_value();
  }
  std::function<WriteLevel()> release() override {
    lock_.unlock();
    return [] { return WriteLevel{Durability::kMemory, 0}; };
  }
};

}  // namespace

std::unique_ptr<StoreReader> MemoryStore::reader() const {
  return std::make_unique<Reader>(table_, std::shared_lock(lock_));
}

StoreBytes MemoryStore::bytes() const {
  const std::shared_lock lock(lock_);
  return table_.bytes();
}

void MemoryStore::snapshot(const std::string&) const {
  throw Error(ErrorCode::kInvalidArgument, "an index in memory has no files for a snapshot");
}

std::unique_ptr<StoreWriter> MemoryStore::writer() {
  return std::make_unique<Writer>(table_, std::unique_lock(lock_));
}

}  // namespace benzer
