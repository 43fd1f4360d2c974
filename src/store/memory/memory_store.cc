#include "store/memory/memory_store.h"

#include <mutex>
#include <utility>

#include "benzer/error.h"

#include "store/get_ids.h"

namespace benzer {

// What Reader and Writer share.
template <class Base>
class MemoryStore::Access : public Base {
 public:
  Access(const Memtable& table, const State& state) : table_(table), state_(state) {}

  void get_ids(std::span<const FieldHashes* const> queries,
               std::vector<std::vector<DocumentNumber>>& out) override {
    look_up(queries, out);
  }
  void get_hits(std::span<const FieldHashes* const> queries,
                std::vector<std::vector<KeyHits>>& out) override {
    look_up(queries, out);
  }
  DocumentNumber original(DocumentNumber document) override {
    return table_.original(document, state_.at);
  }
  void for_each_copy(DocumentNumber original,
                     const std::function<bool(DocumentNumber)>& visit) override {
    for (const DocumentNumber copy : first_copies(original, Memtable::kMostCopies))
      if (!visit(copy)) return;
  }
  std::vector<DocumentNumber> first_copies(DocumentNumber original, std::size_t most) override {
    return table_.first_copies(original, most, state_.at);
  }
  std::optional<DocumentNumber> find(std::string_view id) override {
    return table_.find(id, state_.at);
  }
  std::string_view id(DocumentNumber document) override { return table_.id(document); }
  std::string_view attributes(DocumentNumber document) override {
    return table_.attributes(document);
  }
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
    for (DocumentNumber number = 0; number < state_.end; ++number)
      if (table_.has_document(number, state_.at) && !visit(number)) return;
  }
  std::uint64_t size() override { return state_.documents; }
  std::unique_ptr<StoreReader> another() const override {
    return std::make_unique<Access<StoreReader>>(table_, state_);
  }

 protected:
  const Memtable& table_;
  State state_;

 private:
  template <class List>
  void look_up(std::span<const FieldHashes* const> queries, std::vector<List>& out) {
    get_ids_of(
        queries, out, [&](const FieldHashes& query) { table_.prefetch(query); },
        [&](const FieldHashes& query, auto visit) { table_.meet(query, state_.at, visit); });
    load_found(
        out, [&](DocumentNumber document) { table_.start_row(document); },
        [&](DocumentNumber document) { table_.load_row(document); });
  }
};

// Keeps its version available as long as it lives.
class MemoryStore::Reader : public Access<StoreReader> {
 public:
  explicit Reader(const MemoryStore& store) : Access(store.table_, {}), pin_(store.versions_) {
    state_ = pin_.state();
  }

 private:
  Versions<State>::Pin pin_;
};

class MemoryStore::Writer : public Access<StoreWriter> {
 public:
  Writer(MemoryStore& store, std::unique_lock<std::mutex> lock)
      : Access(store.table_, store.versions_.latest()), store_(store), lock_(std::move(lock)) {
    ++state_.at;
  }
  ~Writer() override {
    if (lock_) publish();
  }

  bool add_hashes(const DocumentHashes& document) override {
    store_.table_.load_places(document);
    const std::optional<DocumentNumber> known = find(document.id);
    store_.table_.add(document, state_.at);
    if (known) store_.table_.remove(*known, state_.at);
    update();
    return known.has_value();
  }
  bool remove(std::string_view id) override {
    const std::optional<DocumentNumber> found = find(id);
    if (found) store_.table_.remove(*found, state_.at);
    update();
    return found.has_value();
  }
  std::function<WriteLevel()> release() override {
    publish();
    lock_.unlock();
    return [] { return WriteLevel{Durability::kMemory, 0}; };
  }

 private:
  void update() noexcept {
    state_.end = table_.end();
    state_.documents = table_.size();
  }
  void publish() noexcept {
    store_.versions_.publish(state_);
    store_.table_.reclaim(store_.versions_);
  }

  MemoryStore& store_;
  std::unique_lock<std::mutex> lock_;
};

std::unique_ptr<StoreReader> MemoryStore::reader() const { return std::make_unique<Reader>(*this); }

StoreBytes MemoryStore::bytes() const { return table_.bytes(); }

SnapshotResult MemoryStore::snapshot(const std::string&, const SnapshotOptions&,
                                     const WriteBeside&) const {
  throw Error(ErrorCode::kInvalidArgument, "an index in memory has no files for a snapshot");
}

std::unique_ptr<StoreWriter> MemoryStore::writer() {
  return std::make_unique<Writer>(*this, std::unique_lock(writing_));
}

}  // namespace benzer
