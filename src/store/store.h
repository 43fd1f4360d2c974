// The interface of all stores: where an index keeps the features, band keys and cut signatures of
// its documents. It is the database interface of the 2012 report (addHashes, getIds, getHashes),
// with removal, and by batches.
//
// A store knows nothing of texts, thresholds or scores. Each implementation passes store_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "benzer/store.h"

namespace benzer {

inline constexpr std::size_t kLongestId = 65'535;  // bytes of a document's id
inline constexpr std::uint32_t kNoStoreKey = ~std::uint32_t{0};

// What became of one field of a document.
struct FieldHashes {
  std::uint32_t field = 0;              // its number in the schema
  std::vector<std::uint64_t> features;  // unique; at least one
  // One a band: the upper half of the band key. With HashLayout::one_table different ones. With
  // that, or HashLayout::gaps, kNoStoreKey in place of those that are missing.
  std::vector<std::uint32_t> keys;
  // The four lowest bits of every slot, two slots a byte; or the hash of a picture. As many bytes
  // as the layout says.
  std::vector<std::uint8_t> cut;
  friend bool operator==(const FieldHashes&, const FieldHashes&) = default;
};

struct DocumentHashes {
  std::string id;
  std::vector<FieldHashes> fields;  // ascending; those without features are left out

  // Null: without features.
  const FieldHashes* find(std::size_t field) const noexcept {
    for (const FieldHashes& one : fields)
      if (one.field == field) return &one;
    return nullptr;
  }
  friend bool operator==(const DocumentHashes&, const DocumentHashes&) = default;
};

// How many hashes there are of a field: the same for all of a store.
struct HashLayout {
  std::uint32_t fields = 1;
  std::uint32_t bands = 16;
  std::uint32_t slots = 128;
  // Any two equal keys meet, and not only those of the same band: all are in one table.
  bool one_table = false;
  // Not every field has a key in every band.
  bool gaps = false;

  std::size_t cut_bytes() const noexcept { return (slots + 1) / 2; }
  std::uint32_t tables() const noexcept { return one_table ? 1 : bands; }
  std::uint32_t table(std::uint32_t band) const noexcept { return one_table ? 0 : band; }
  bool may_lack_keys() const noexcept { return one_table || gaps; }
  bool is_key(std::uint32_t key) const noexcept { return !may_lack_keys() || key != kNoStoreKey; }
  friend bool operator==(const HashLayout&, const HashLayout&) = default;
};

// A document as a reader names it.
using DocumentNumber = std::uint32_t;
// So many have numbers; the number behind them is of none.
inline constexpr std::uint64_t kMostDocuments = ~DocumentNumber{0};

// Copies: a document that has the same features in all fields as another one, and any features at
// all. A store may keep some of them apart from its keys, so that they take no time where keys are
// looked up; one document, their original, is found for all of them. Which one that is, and which
// equal documents are copies and which have keys of their own, is up to the store.
//
// A version of the store: as long as it lives, it sees the same, whatever others write, and holds
// up nobody. On a server each document is as it was when the reader saw it first. Threads: one
// each.
class StoreReader {
 public:
  virtual ~StoreReader() = default;

  // Of each query, whatever its field, the documents that have at least one key of that field in
  // common with it, each once, ascending; for copies their original. out has at least one list a
  // query.
  virtual void get_ids(std::span<const FieldHashes* const> queries,
                       std::vector<std::vector<DocumentNumber>>& out) = 0;

  // The document that get_ids() names for this one: itself, unless it is a copy.
  virtual DocumentNumber original(DocumentNumber document) { return document; }
  // visit(copy) for the copies of an original, in any order, until it says false. When the original
  // is removed, one of them becomes the original of the others.
  virtual void for_each_copy(DocumentNumber original,
                             const std::function<bool(DocumentNumber)>& visit) {
    (void)original;
    (void)visit;
  }
  virtual std::uint64_t count_copies(DocumentNumber original);
  // The copies with the smallest ids, at most so many, by id.
  virtual std::vector<DocumentNumber> first_copies(DocumentNumber original, std::size_t most);

  virtual std::optional<DocumentNumber> find(std::string_view id) = 0;

  // These documents are looked at next: a server can be asked for all of them at once.
  virtual void prefetch(std::span<const DocumentNumber> documents) { (void)documents; }

  // The rest is of documents that the reader has named. Ids are valid as long as the reader lives,
  // cut signatures until the next call of get_ids() or prefetch(), features until the next call.
  virtual std::string_view id(DocumentNumber document) = 0;
  virtual const std::uint8_t* cut(DocumentNumber document, std::uint32_t field) = 0;  // or null
  // None: the document lacks the field.
  virtual std::span<const std::uint64_t> features(DocumentNumber document, std::uint32_t field) = 0;
  virtual DocumentHashes get_hashes(DocumentNumber document) = 0;

  // visit(number) for all documents, in any order, until it says false.
  virtual void for_each(const std::function<bool(DocumentNumber)>& visit) = 0;
  virtual std::uint64_t size() = 0;  // documents

  // What id() and cut() name is read by the caller, perhaps from a file, and what cannot be read
  // there looks like any other bytes. So it is asked for before an answer that stands on it is
  // handed out. Throws Error(kStorageFailed) if, since the reader was made, something could not be
  // read. The other functions throw that themselves.
  virtual void throw_if_unreadable() {}

  // Another reader of the same version, for another thread; it must not outlive this one.
  virtual std::unique_ptr<StoreReader> another() const = 0;
};

// The only one that may change the store, and sees what it has changed. Threads: one.
class StoreWriter : public StoreReader {
 public:
  // True if it replaced a document of the same id.
  virtual bool add_hashes(const DocumentHashes& document) = 0;
  // False if there is none.
  virtual bool remove(std::string_view id) = 0;
  // The same for many, one after the other: a server is asked once. For each: was it there?
  virtual std::vector<bool> add_all(std::span<const DocumentHashes* const> documents) {
    std::vector<bool> out;
    for (const DocumentHashes* document : documents) out.push_back(add_hashes(*document));
    return out;
  }
  virtual std::vector<bool> remove_all(std::span<const std::string> ids) {
    std::vector<bool> out;
    for (const std::string& id : ids) out.push_back(remove(id));
    return out;
  }
  // Makes what follows one step, also for other processes that write to the same store and call
  // this, too. In a store that only one process writes to, it always is one step.
  virtual void lock_others() {}
  // Ends the write and lets the next writer begin; nothing else may be called after it. Returns a
  // function: calling it waits until this write, and all before it, is as durable as the store was
  // asked to be, and returns that level. A write that nobody waits for is kept, but not promised.
  virtual std::function<WriteLevel()> release() = 0;
  WriteLevel commit() { return release()(); }
};

// What a store takes of memory.
struct StoreBytes {
  std::uint64_t tables = 0;  // the entries of bands
  std::uint64_t keys = 0;    // of each document, for its removal
  std::uint64_t cuts = 0;
  std::uint64_t features = 0;
  std::uint64_t ids = 0;

  StoreBytes& operator+=(const StoreBytes& other) noexcept {
    tables += other.tables;
    keys += other.keys;
    cuts += other.cuts;
    features += other.features;
    ids += other.ids;
    return *this;
  }
};

// What it takes elsewhere.
struct StoreStats {
  std::uint64_t segments = 0;
  std::uint64_t segment_bytes = 0;
  std::uint64_t log_bytes = 0;   // that the next opening reads
  double restart_seconds = 0;    // that the next opening takes
  std::uint64_t removed = 0;     // documents whose bytes are still there
  std::uint64_t torn_bytes = 0;  // at the end of the log when it was opened
  std::uint64_t servers = 0;
  std::uint64_t server_bytes = 0;  // of their memory, whatever it is used for
  std::optional<UpkeepStats> upkeep;
};

class Store {
 public:
  virtual ~Store() = default;
  virtual std::unique_ptr<StoreReader> reader() const = 0;
  // Waits until it is the only one; readers go on.
  virtual std::unique_ptr<StoreWriter> writer() = 0;
  virtual StoreBytes bytes() const { return {}; }
  virtual StoreStats stats() const { return {}; }
  virtual std::optional<MaintenanceProblem> maintenance_problem() const { return {}; }

  // What include/benzer/index.h says of them; a store that has nothing to do does nothing.
  virtual WriteLevel level() const = 0;
  virtual void close() {}
  virtual void compact() {}
  virtual void verify() const {}
  virtual SnapshotResult snapshot(const std::string& folder,
                                  const SnapshotOptions& options) const = 0;
};

}  // namespace benzer
