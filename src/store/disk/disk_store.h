// An index in a folder: a log of what was written last, the same in memory, and sealed segments of
// all that came before (a log-structured merge tree: O'Neil and others, Acta Informatica 33, 1996).
#pragma once

#include <atomic>
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
  bool read_only = false;  // what was there when it was opened; nothing is written, not even a lock
  // The memtable becomes a segment when it has about so many bytes, or its log twice as many: of
  // documents that are replaced again and again it keeps the last one, and the log all of them.
  std::uint64_t memtable_bytes = std::uint64_t{64} << 20;
  // Documents in all segments and tables, removed ones that are still in them among them: readers
  // number them through. Tests lower it.
  std::uint64_t most_documents = kMostDocuments;
  // Called with each new problem of the work in the background, by its thread; may be empty.
  std::function<void(const MaintenanceProblem& problem)> on_problem = {};
};

// Writers take turns; readers have the version that was the latest when they began, hold no lock,
// and hold up nobody. In the background one thread writes segments and another merges them, so that
// no writer waits for a merge; what they have made is put in its place between two writers. What
// went stays in memory, or as a file without a name, as long as a reader has it. Errors:
// Error(kStorageFailed), also for a document more than there may be, Error(kCorrupt), Error(kBusy),
// each naming the file; of a page that cannot be read, UnreadablePage, by whatever needs it, until
// the store is opened again. What could not be made a segment stays in memory and in the log, and
// the next writer tries again. A merge that fails harms nothing, until there are so many segments
// that writers have to wait. maintenance_problem() tells both.
class DiskStore : public Store {
 public:
  DiskStore(const std::string& folder, const HashLayout& layout, std::uint64_t fingerprint,
            const DiskOptions& options);
  ~DiskStore() override;  // closes; what fails then is lost to the caller

  std::unique_ptr<StoreReader> reader() const override;
  std::unique_ptr<StoreWriter> writer() override;
  StoreBytes bytes() const override;

  // Writes what is in memory to a segment, so that the next one to open need not read a log. Where
  // that fails all of it is in the log, synced; what this throws is not.
  void close() override;
  // All documents into one segment, and what was removed is gone.
  void compact() override;
  // In a folder that is made or empty; see snapshot.h.
  SnapshotResult snapshot(const std::string& folder, const SnapshotOptions& options) const override;
  // Reads every byte. Throws Error(kCorrupt) for the first that is wrong.
  void verify() const override;
  WriteLevel level() const override { return {options_.durability, 0}; }

  class Load;  // bulk_load.h

  StoreStats stats() const override;
  std::optional<MaintenanceProblem> maintenance_problem() const override;

 private:
  template <class Base>
  class Access;
  class Reader;
  class Writer;

  // Merging keeps it to about so many segments that have to be looked into.
  static constexpr std::size_t kMostSegments = 6;

  struct Part {
    std::shared_ptr<const Segment> segment;
    std::uint64_t number = 0;
    MutableDocumentBits removed;
    std::uint64_t removed_count = 0;
    std::uint64_t removed_file = 0;     // 0: none
    Seal removed_seal;                  // of that file
    std::uint64_t removed_written = 0;  // so many are in that file
  };
  // The oldest log with records of a table, and the number of its first one.
  struct LogPlace {
    std::uint64_t log = 0, first_record = 1;
  };
  // A table that becomes a segment.
  struct Frozen {
    std::shared_ptr<const Memtable> table;
    Version at;                   // it is this version of the table
    MutableDocumentBits removed;  // since it was frozen
    std::uint64_t live;
    LogPlace log;
    std::uint64_t log_bytes = 0;
  };

  // What a version has.
  struct SealedPart {
    std::shared_ptr<const Segment> segment;  // or
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

  // The number of a segment that is being written: nobody takes its file for a left-over.
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
    // The places of the parts that it replaces; those and their documents' numbers in it.
    bool is_flush = false;  // it replaces the frozen table
    std::vector<std::size_t> merged;
    std::vector<std::vector<DocumentNumber>> numbers;
    // Its own documents that do not count, and of each part those that it puts others in place of.
    std::vector<bool> removed;
    std::vector<std::vector<DocumentNumber>> replaced;
  };

  void load();
  void load_parts();
  void load_removed(const Manifest::Part& named, Part& part) const;
  void replay(LogChain& chain);
  void apply(LogRecord& record);

  void check_writable() const;
  std::uint64_t numbered_documents() const;  // under the lock: how far readers count
  std::uint64_t sealed_documents() const;    // likewise: that count, outside of the active table
  // For a version to come, under the lock.
  std::shared_ptr<Sealed> room_for_sealed() const;
  // What is there becomes a version. Null: all but the active table is as it was. Under the lock,
  // alone.
  void publish_version(Version at, std::shared_ptr<Sealed> room) noexcept;
  // Throws Error(kStorageFailed) if there may be no more documents than `numbered`.
  void check_room(std::uint64_t numbered) const;
  void sync_log() const;
  std::uint64_t log_bytes() const;  // of the active table's; under the lock
  bool is_flush_due() const;        // likewise
  bool is_flushing_far_behind() const;
  bool is_merging_far_behind() const;

  // The threads' work.
  void flush(bool even_if_not_due);
  void freeze();
  // Replaces the active log by a new one, for a bulk load, whose documents are in no log.
  void begin_log();
  std::shared_ptr<WriteLog> make_log(std::uint64_t number) const;
  // Under the lock, alone. If it throws, nothing has changed.
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
  // Of the ids' hashes in new segments: that of the segments that are there, so that a bulk load is
  // compared with them in one pass.
  std::uint64_t id_seed_ = random_seed();
  const DiskOptions options_;
  StoreFolder folder_;
  std::shared_ptr<SyncMark> mark_;  // null: read only

  mutable Versions<State> versions_{State()};
  // Readers do without it; a writer has it alone.
  mutable RwLock lock_;
  // Under the lock.
  std::vector<Part> parts_;
  std::unique_ptr<Frozen> frozen_;
  std::shared_ptr<Memtable> active_;
  std::shared_ptr<WriteLog> log_;        // null: read only
  std::uint64_t earlier_log_bytes_ = 0;  // of logs before it with records of the active table
  std::uint64_t torn_bytes_ = 0;
  bool is_loading_ = false;  // by a bulk load

  LogPlace active_log_;

  std::atomic<std::uint64_t> next_number_ = 1;
  std::mutex in_work_mutex_;
  std::set<std::uint64_t> in_work_;  // numbers of segments that are being written

  // Which parts there are is changed by one thread at a time: the flusher adds some at the end, and
  // the merger alone takes some away, so that the places of the others' parts stay what they are.
  std::mutex publishing_;
  Manifest manifest_;
  struct {
    std::uint64_t documents = 0, replaced = 0;
  } loaded_;  // by the last bulk load

  std::mutex closing_;
  std::atomic<bool> stopping_ = false;  // no merge that takes long is begun, or goes on
  MaintenanceProblems problems_;
  UpkeepCounters upkeep_;
  RestartTime restart_time_;  // does not change once the store is open
  std::unique_ptr<BackgroundThread> flusher_, merger_;
};

}  // namespace benzer
