// Declares the store of an index in a folder: a log of the latest writes, a memtable of the same
// documents, and sealed segments of all earlier ones (a log-structured merge tree: O'Neil and
// others, Acta Informatica 33, 1996).
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/background_thread.h"
#include "base/random_seed.h"
#include "base/rw_lock.h"
#include "store/disk/document_bits.h"
#include "store/disk/maintenance_problems.h"
#include "store/disk/read_log.h"
#include "store/disk/restart_time.h"
#include "store/disk/segment.h"
#include "store/disk/store_folder.h"
#include "store/disk/sync_mark.h"
#include "store/disk/upkeep_counters.h"
#include "store/disk/write_log.h"
#include "store/memory/memtable.h"
#include "store/versions.h"

namespace benzer {

struct DiskOptions {
  Durability durability = Durability::kSync;
  bool read_only = false;  // sees the store as it was when opened; writes nothing, not even a lock
  // The memtable becomes a segment when it has about this many bytes, or its log nearly twice as
  // many: the memtable has only the last version of a document that is replaced again and again,
  // the log has all of them.
  std::uint64_t memtable_bytes = std::uint64_t{64} << 20;
  // Limit on the documents in all segments and tables, including removed ones that are still there,
  // since readers number them all. Tests lower it.
  std::uint64_t most_documents = kMostDocuments;
  // Background work that has failed is tried again by the first write after this time. Tests lower
  // it.
  std::chrono::steady_clock::duration retry_pause = MaintenanceProblems::kRetryPause;
  // Called with each new problem of the background threads, by one of them; may be empty.
  std::function<void(const MaintenanceProblem& problem)> on_problem = {};
};

// Writers take turns. A reader has the version that was the latest when it began, holds no lock,
// and blocks nobody. In the background one thread writes segments and another merges them, so that
// no writer waits for a merge; new segments are put in place between two writers. Removed documents
// stay in memory, or in a file without a name, as long as a reader has them.
//
// Errors: Error(kStorageFailed), also for too many documents, Error(kCorrupt), Error(kBusy), each
// naming the file. Whatever needs a page that cannot be read throws UnreadablePage, until the store
// is opened again. What could not be written to a segment stays in memory and in the log, and a
// later write has it tried again, a merge too. A merge that fails does no harm until there are so
// many segments that writers have to wait. maintenance_problem() reports both.
class DiskStore : public Store {
 public:
  DiskStore(const std::string& folder, const HashLayout& layout, std::uint64_t fingerprint,
            const DiskOptions& options);
  ~DiskStore() override;  // closes; the caller does not learn of errors

  std::unique_ptr<StoreReader> reader() const override;
  std::unique_ptr<StoreWriter> writer() override;
  StoreBytes bytes() const override;

  // Writes what is in memory to a segment, so that the next opening need not read a log. If only
  // that fails, this does not throw: the log has everything, synced. If it throws, the log could
  // not be synced.
  void close() override;
  // Merges all documents into one segment, without the removed ones.
  void compact() override;
  // Writes a snapshot to a folder that is new or empty; see snapshot.h.
  SnapshotResult snapshot(const std::string& folder, const SnapshotOptions& options,
                          const WriteBeside& beside) const override;
  // Reads every byte of the files that count now, as the disk has them; see verify_store.h.
  void verify() const override;
  WriteLevel level() const override { return {options_.durability, 0}; }
  // Throws Error(kStorageFailed) if another folder was put in the place of its own.
  void check_in_place() const { folder_.check_in_place(); }

  class Load;  // bulk_load.h

  StoreStats stats() const override;
  std::optional<MaintenanceProblem> maintenance_problem() const override;

 private:
  template <class Base>
  class Access;
  class Reader;
  class Writer;

  // Merging keeps the number of segments at about this, since each query looks into all of them.
  static constexpr std::size_t kMostSegments = 6;

  struct Part {
    std::shared_ptr<const Segment> segment;
    std::uint64_t number = 0;
    MutableDocumentBits removed;
    std::uint64_t removed_count = 0;
    std::uint64_t removed_file = 0;     // 0: none
    Seal removed_seal;                  // of that file
    std::uint64_t removed_written = 0;  // how many are in that file
  };
  // The oldest log with records of a table, and the number of the first of these.
  struct LogPlace {
    std::uint64_t log = 0, first_record = 1;
  };
  // A table that becomes a segment.
  struct Frozen {
    std::shared_ptr<const Memtable> table;
    Version at;                   // the version of the table that was frozen
    MutableDocumentBits removed;  // since it was frozen
    std::uint64_t live;
    LogPlace log;
    std::uint64_t log_bytes = 0;
  };

  // What a version consists of.
  struct SealedPart {
    std::shared_ptr<const Segment> segment;  // null: it is a table
    std::shared_ptr<const Memtable> table;
    DocumentBits removed;
  };
  struct Sealed {
    std::vector<SealedPart> parts;
    std::uint64_t live = 0;  // documents
  };
  struct State {
    Version at = 0;
    std::shared_ptr<const Sealed> sealed;
    std::shared_ptr<const Memtable> active;
    DocumentNumber end = 0;       // of the active table
    std::uint64_t documents = 0;  // in it
  };

  // The number of a segment that is being written, whose file must not be removed as a left-over.
  class InWork {
   public:
    explicit InWork(DiskStore& store);
    ~InWork();
    InWork(const InWork&) = delete;
    InWork& operator=(const InWork&) = delete;
    std::uint64_t get() const noexcept { return number_; }

   private:
    DiskStore& store_;
    std::uint64_t number_;
  };

  // A new segment, and what it changes.
  struct Written {
    std::uint64_t number = 0;
    std::shared_ptr<const Segment> segment;
    // The places of the parts that it replaces, and for each the numbers that their documents have
    // in it.
    bool is_flush = false;  // it replaces the frozen table
    std::vector<std::size_t> merged;
    std::vector<std::vector<DocumentNumber>> numbers;
    // Its own documents that count as removed, and for each part the documents that it replaces.
    std::vector<bool> removed;
    std::vector<std::vector<DocumentNumber>> replaced;
  };

  void load();
  void load_parts();
  void load_removed(const Manifest::Part& named, Part& part) const;
  void replay(LogChain& chain);
  void apply(LogRecord& record);

  void check_writable() const;
  std::uint64_t numbered_documents() const;  // in all parts, removed ones too; under the lock
  std::uint64_t sealed_documents() const;    // outside of the active table, without removed ones;
                                             // under the lock
  // Allocates what publish_version() takes. Under the lock.
  std::shared_ptr<Sealed> room_for_sealed() const;
  // Makes a version of the present state. `room` is null if nothing but the active table has
  // changed. Under the exclusive lock.
  void publish_version(Version at, std::shared_ptr<Sealed> room) noexcept;
  // Throws Error(kStorageFailed) if there may be no more documents than `numbered`.
  void check_room(std::uint64_t numbered) const;
  void sync_log() const;
  std::uint64_t log_bytes() const;  // of the logs of the active table; under the lock
  bool is_flush_due() const;        // under the lock
  bool is_flushing_far_behind() const;
  bool is_merging_far_behind() const;

  // The work of the background threads.
  void flush(bool even_if_not_due);
  void freeze();
  // Replaces the active log by a new one, for a bulk load, whose documents are in no log.
  void begin_log();
  std::shared_ptr<WriteLog> make_log(std::uint64_t number) const;
  // Under the exclusive lock. If it throws, nothing has changed.
  void replace_log(std::shared_ptr<WriteLog> log, std::uint64_t number);
  void flush_frozen();
  void merge_if_due();
  void merge_all();
  std::vector<std::size_t> parts_to_merge() const;
  void merge(const std::vector<std::size_t>& places);
  bool takes_long(const std::vector<std::size_t>& places) const;
  void publish_load(std::uint64_t number);
  std::shared_ptr<const Segment> open_written(std::uint64_t number,
                                              const std::atomic<bool>* stop = nullptr) const;
  void publish(const Written& written);  // under publishing_

  const HashLayout layout_;
  const std::uint64_t fingerprint_;
  // The seed of the ids' hashes in new segments. It is that of the existing segments, so that a
  // bulk load is compared with them in one pass.
  std::uint64_t id_seed_ = random_seed();
  const DiskOptions options_;
  StoreFolder folder_;
  std::shared_ptr<SyncMark> mark_;  // null: read only

  mutable Versions<State> versions_{State()};
  // Readers do not take it; a writer holds it exclusively.
  mutable RwLock lock_;
  // Guarded by the lock.
  std::vector<Part> parts_;
  std::unique_ptr<Frozen> frozen_;
  std::shared_ptr<Memtable> active_;
  std::shared_ptr<WriteLog> log_;        // null: read only
  std::uint64_t earlier_log_bytes_ = 0;  // of earlier logs with records of the active table
  std::uint64_t torn_bytes_ = 0;
  bool is_loading_ = false;  // by a bulk load

  LogPlace active_log_;

  std::atomic<std::uint64_t> next_number_ = 1;
  std::mutex in_work_mutex_;
  std::set<std::uint64_t> in_work_;  // numbers of segments that are being written

  // One thread at a time changes the list of parts: the flusher only adds parts at the end, and the
  // merger alone takes some away. So the places that a merge has noted stay right.
  std::mutex publishing_;
  Manifest manifest_;
  struct {
    std::uint64_t documents = 0, replaced = 0;
  } loaded_;  // by the last bulk load

  std::mutex closing_;
  std::atomic<bool> stopping_ = false;  // no long merge is begun or continued
  MaintenanceProblems problems_;
  UpkeepCounters upkeep_;
  RestartTime restart_time_;  // does not change once the store is open
  std::unique_ptr<BackgroundThread> flusher_, merger_;
};

}  // namespace benzer
