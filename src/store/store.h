// Declares the interface of all stores, where an index keeps the features, band keys and cut
// signatures of its documents. It is the database interface of the 2012 report (addHashes, getIds,
// getHashes), with removal and batches added.
//
// A store knows nothing of texts, thresholds, scores or what attributes mean. Each implementation
// passes store_test.cc.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "benzer/banding.h"
#include "benzer/store.h"

namespace benzer {

inline constexpr std::size_t kLongestId = 65'535;          // bytes of a document's id
inline constexpr std::size_t kLongestAttributes = 65'535;  // bytes of a document's attributes
inline constexpr std::uint32_t kNoStoreKey = ~std::uint32_t{0};

// The features, band keys and cut signature of one field of a document.
struct FieldHashes {
  std::uint32_t field = 0;              // its number in the schema
  std::vector<std::uint64_t> features;  // unique; at least one
  // One per band: the upper half of its band key. With HashLayout::one_table all keys are
  // different. With one_table or gaps, kNoStoreKey replaces each missing key. With
  // HashLayout::sampling those of the features, any number of them (sampled_keys.h).
  std::vector<std::uint32_t> keys;
  // The four lowest bits of every slot, two slots a byte, or the hash of an image;
  // HashLayout::cut_bytes() bytes.
  std::vector<std::uint8_t> cut;
  friend bool operator==(const FieldHashes&, const FieldHashes&) = default;
};

struct DocumentHashes {
  std::string id;
  std::vector<FieldHashes> fields;  // ascending by number; fields without features are left out
  // The attributes, as bytes that only the engine reads; empty without HashLayout::attributes.
  // Documents that differ in nothing else are copies.
  std::string attributes = {};

  // Returns null if the document has no features in this field.
  const FieldHashes* find(std::size_t field) const noexcept {
    for (const FieldHashes& one : fields)
      if (one.field == field) return &one;
    return nullptr;
  }
  friend bool operator==(const DocumentHashes&, const DocumentHashes&) = default;
};

// About how many bytes a document takes, stored or in memory, but for the object itself.
std::size_t bytes_of(const DocumentHashes& document) noexcept;

// How many hashes a field has: the same for all documents of a store.
struct HashLayout {
  std::uint32_t fields = 1;
  std::uint32_t bands = 16;
  std::uint32_t slots = 128;
  // All bands share one table, so equal keys meet even if they are of different bands.
  bool one_table = false;
  // Not every field has a key in every band.
  bool gaps = false;
  // Documents may have attributes.
  bool attributes = false;
  // The keys follow from the features, so they are in the tables and not in records: there are no
  // bands, and one table.
  std::optional<KeySampling> sampling = {};

  std::size_t cut_bytes() const noexcept { return (slots + 1) / 2; }
  std::uint32_t tables() const noexcept { return one_table ? 1 : bands; }
  std::uint32_t table(std::uint32_t band) const noexcept { return one_table ? 0 : band; }
  bool may_lack_keys() const noexcept { return one_table || gaps; }
  bool is_key(std::uint32_t key) const noexcept { return !may_lack_keys() || key != kNoStoreKey; }
  friend bool operator==(const HashLayout&, const HashLayout&) = default;
};

// The number by which a reader refers to a document.
using DocumentNumber = std::uint32_t;
// A document that shares keys with a query.
struct KeyHits {
  DocumentNumber document = 0;
  std::uint32_t keys = 0;  // how many it shares
  friend bool operator==(const KeyHits&, const KeyHits&) = default;
};
// The most documents that can have numbers; the largest DocumentNumber is never given to one.
inline constexpr std::uint64_t kMostDocuments = ~DocumentNumber{0};

// Reads one version of a store: as long as the reader lives, it sees the same whatever others
// write, and it blocks nobody. On a server, it sees each document as it was when it first read it.
// Threads: one per reader.
//
// A copy is a document with features, which are equal to those of another document in all fields. A
// store may leave some copies out of its key tables, so that they cost no time when keys are looked
// up; get_ids() names one document, their original, for all of them. The store decides which
// document is the original, and which equal documents are copies and which have keys of their own.
class StoreReader {
 public:
  virtual ~StoreReader() = default;

  // Lists for each query, which may be about any field, the documents that share at least one key
  // of that field with it: each once, ascending, and for copies their original. `out` has at least
  // as many lists as there are queries.
  virtual void get_ids(std::span<const FieldHashes* const> queries,
                       std::vector<std::vector<DocumentNumber>>& out) = 0;
  // The same, with the number of keys that each document shares with the query.
  virtual void get_hits(std::span<const FieldHashes* const> queries,
                        std::vector<std::vector<KeyHits>>& out) = 0;

  // The document that get_ids() names for this one: itself, unless it is a copy.
  virtual DocumentNumber original(DocumentNumber document) { return document; }
  // Calls visit(copy) for the copies of an original, in any order, until it returns false. When the
  // original is removed, one of them becomes the original of the others.
  virtual void for_each_copy(DocumentNumber original,
                             const std::function<bool(DocumentNumber)>& visit) {
    (void)original;
    (void)visit;
  }
  virtual std::uint64_t count_copies(DocumentNumber original);
  // The `most` copies with the smallest ids, or all if there are fewer, in order of id.
  virtual std::vector<DocumentNumber> first_copies(DocumentNumber original, std::size_t most);

  virtual std::optional<DocumentNumber> find(std::string_view id) = 0;
  // Announces the ids that find() is asked for next, so that a server is asked for all of them at
  // once.
  virtual void prefetch_ids(std::span<const std::string_view> ids) { (void)ids; }
  // Of the documents that accepts(document) takes, those with the `most` smallest ids that are
  // greater than `after`, in order of id. Goes through all documents, unless the store has an order
  // of ids.
  using Accepts = std::function<bool(DocumentNumber)>;
  virtual std::vector<DocumentNumber> ids_after(std::string_view after, std::size_t most,
                                                const Accepts& accepts);

  // Announces the documents that are read next, so that a server is asked for all of them at once.
  virtual void prefetch(std::span<const DocumentNumber> documents) { (void)documents; }

  // The functions below take documents that the reader has named. Ids are valid as long as the
  // reader lives, features until the next call, cut signatures and attributes until the next call
  // that is about another document or about features.
  virtual std::string_view id(DocumentNumber document) = 0;
  virtual std::string_view attributes(DocumentNumber document) = 0;
  virtual const std::uint8_t* cut(DocumentNumber document, std::uint32_t field) = 0;  // or null
  // Empty if the document lacks the field.
  virtual std::span<const std::uint64_t> features(DocumentNumber document, std::uint32_t field) = 0;
  virtual DocumentHashes get_hashes(DocumentNumber document) = 0;

  // Calls visit(number) for all documents, in any order, until it returns false.
  virtual void for_each(const std::function<bool(DocumentNumber)>& visit) = 0;
  virtual std::uint64_t size() = 0;  // documents

  // The caller itself reads the bytes that id(), attributes() and cut() return, perhaps from a
  // mapped file, where what cannot be read looks like any other bytes. So it calls this before it
  // hands out an answer that depends on them. Throws Error(kStorageFailed) if something could not
  // be read since the reader was made. The other functions throw that themselves.
  virtual void throw_if_unreadable() {}

  // When the flag turns true, a call that waits for a server ends with Error(kInterrupted). May be
  // null; the flag must outlive the reader. Writing to a server does not look at it: whoever sets
  // it may rely on it that nothing was written.
  virtual void stop_when(const std::atomic<bool>* stop) { (void)stop; }
  // Another reader of the same version, for another thread; it must not outlive this one.
  virtual std::unique_ptr<StoreReader> another() const = 0;
};

// Changes the store, and sees its own changes. A store object has one writer at a time. Threads:
// one.
class StoreWriter : public StoreReader {
 public:
  // Returns true if it replaced a document with the same id.
  virtual bool add_hashes(const DocumentHashes& document) = 0;
  // Returns false if there is no document with this id.
  virtual bool remove(std::string_view id) = 0;
  // The same for many documents, in order, in fewer requests to a server. Returns for each whether
  // there was one with its id.
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
  // Replaces or removes a document that this writer has read. Return false, and change nothing, if
  // another process has changed it since then; reading it again then shows the new one.
  virtual bool replace_seen(const DocumentHashes& document) {
    add_hashes(document);
    return true;
  }
  virtual bool remove_seen(std::string_view id) { return remove(id); }
  // Makes what is read and added from here on one atomic step, also for other processes that write
  // to the same store and call this, too. If only one process writes to a store, it always is.
  virtual void lock_others() {}
  // Ends the write and lets the next writer begin; nothing else may be called afterwards. Returns a
  // function that waits until this write, and all before it, are as durable as the store was asked
  // to be, and that returns that level. A write that nobody waits for is kept, but not promised.
  virtual std::function<WriteLevel()> release() = 0;
  WriteLevel commit() { return release()(); }
};

// The memory that a store takes, in bytes.
struct StoreBytes {
  std::uint64_t tables = 0;  // the entries of bands
  std::uint64_t keys = 0;    // of each document, needed for its removal
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

// What a store takes on disks and servers, and the state of its upkeep.
struct StoreStats {
  std::uint64_t segments = 0;
  std::uint64_t segment_bytes = 0;
  std::uint64_t log_bytes = 0;   // that the next opening reads
  double restart_seconds = 0;    // that the next opening takes
  std::uint64_t removed = 0;     // removed documents whose bytes are still there
  std::uint64_t torn_bytes = 0;  // incomplete bytes at the end of the log when it was opened
  std::uint64_t servers = 0;
  std::uint64_t server_bytes = 0;  // memory of the servers, whatever it is used for
  std::optional<UpkeepStats> upkeep;
};

// Writes what is kept beside the store of a snapshot into its folder, before that counts as
// complete. Returns the path of the file, or an empty one if there is nothing to keep.
using WriteBeside = std::function<std::string(const std::string& folder)>;

class Store {
 public:
  virtual ~Store() = default;
  virtual std::unique_ptr<StoreReader> reader() const = 0;
  // Waits until this object has no other writer; readers are not blocked.
  virtual std::unique_ptr<StoreWriter> writer() = 0;
  virtual StoreBytes bytes() const { return {}; }
  virtual StoreStats stats() const { return {}; }
  virtual std::optional<MaintenanceProblem> maintenance_problem() const { return {}; }

  // include/benzer/index.h describes these; a store that has nothing to do does nothing.
  virtual WriteLevel level() const = 0;
  virtual void close() {}
  virtual void compact() {}
  virtual void verify() const {}
  virtual SnapshotResult snapshot(const std::string& folder, const SnapshotOptions& options,
                                  const WriteBeside& beside) const = 0;
};

}  // namespace benzer
