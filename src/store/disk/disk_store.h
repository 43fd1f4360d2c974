// An index in a folder: a log of what was written last, the same in memory, and sealed segments of
// all that came before (a log-structured merge tree: O'Neil and others, Acta Informatica 33, 1996).
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/random_seed.h"
#include "base/rw_lock.h"
#include "store/disk/read_log.h"
#include "store/disk/segment.h"
#include "store/disk/store_folder.h"
#include "store/disk/sync_mark.h"
#include "store/disk/write_log.h"
#include "store/memory/memtable.h"

namespace benzer {

struct DiskOptions {
  Durability durability = Durability::kSync;
  bool read_only = false;  // what was there when it was opened; nothing is written, not even a lock
  // The memtable becomes a segment when it has about so many bytes, or its log twice as many: of
  // documents that are replaced again and again it keeps the last one, and the log all of them.
  std::uint64_t memtable_bytes = std::uint64_t{64} << 20;
};

// Readers share it, a writer has it alone; segments are written and merged in the background, and
// put in their places between two writers.
// Errors: Error(kStorageFailed), Error(kCorrupt), Error(kBusy), each naming the file. What could
// not be made a segment stays in memory and in the log, and the next writer tries again. A merge
// that fails harms nothing and is not told, until there are so many segments that writers have to
// wait.
class DiskStore : public Store {
 public:
  DiskStore(const std::string& folder, const HashLayout& layout, std::uint64_t fingerprint,
            const DiskOptions& options);
  ~DiskStore() override;  // closes; what fails then is lost to the caller

  std::unique_ptr<StoreReader> reader() const override;
  std::unique_ptr<StoreWriter> writer() override;
  StoreBytes bytes() const override;

  // Writes what is in memory to a segment, so that the next one to open need not read a log.
  void close() override;
  // All documents into one segment, and what was removed is gone.
  void compact() override;
  // A copy in a folder that is made or empty; see snapshot.h.
  void snapshot(const std::string& folder) const override;
  // Reads every byte. Throws Error(kCorrupt) for the first that is wrong.
  void verify() const override;
  WriteLevel level() const override { return {options_.durability, 0}; }

  class Load;  // bulk_load.h

  StoreStats stats() const override;

 private:
  template <class Base, class Lock>
  class Access;
  class Writer;

  // Merging keeps it to about so many segments that have to be looked into.
  static constexpr std::size_t kMostSegments = 6;

  struct Part {
    std::shared_ptr<const Segment> segment;
    std::uint64_t number = 0;
    std::vector<bool> removed;
    std::uint64_t removed_count = 0;
    std::uint64_t removed_file = 0;     // 0: none
    Seal removed_seal;                  // of that file
    std::uint64_t removed_written = 0;  // so many are in that file
  };
  // What a background step works on.
  struct Frozen {
    Frozen(Memtable&& full, std::vector<bool>&& none) noexcept
        : table(std::move(full)), removed(std::move(none)), live(table.size()) {}
    const Memtable table;
    std::vector<bool> removed;  // since it was frozen
    std::uint64_t live;
    std::uint64_t log_bytes = 0;
  };

  // A new segment, and what it changes.
  struct Written {
    std::uint64_t number = 0;
    DocumentNumber documents = 0;
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
  void sync_log() const;
  void maintain();
  struct Wishes {
    bool flush = false, compact = false, load = false;
  };
  void work(const Wishes& wishes);
  void merge_if_due();
  void ask(const Wishes& wishes);  // and waits until it was done, or throws why not
  void wake();
  std::uint64_t log_bytes() const;  // of the active table's; under the lock
  bool is_flush_due() const;        // likewise
  bool is_far_behind() const;
  bool is_merging_far_behind() const;  // under the lock, or by the worker
  void freeze();
  void flush_frozen();
  std::vector<std::size_t> parts_to_merge() const;
  void merge(const std::vector<std::size_t>& places);
  void publish_load();
  void publish(const Written& written);

  const HashLayout layout_;
  const std::uint64_t fingerprint_;
  // Of the ids' hashes in new segments: that of the segments that are there, so that a bulk load is
  // compared with them in one pass.
  std::uint64_t id_seed_ = random_seed();
  const DiskOptions options_;
  StoreFolder folder_;
  std::shared_ptr<SyncMark> mark_;  // null: read only

  mutable RwLock lock_;
  // Under the lock.
  std::vector<Part> parts_;
  std::unique_ptr<Frozen> frozen_;
  std::unique_ptr<Memtable> active_;
  std::shared_ptr<WriteLog> log_;        // null: read only
  std::uint64_t earlier_log_bytes_ = 0;  // of logs before it with records of the active table
  std::uint64_t torn_bytes_ = 0;
  std::uint64_t load_ = 0;  // number of the segment that a bulk load writes; 0: there is none

  std::atomic<std::uint64_t> next_number_ = 1;

  // The worker's alone, once it runs. Only it changes which parts there are, so it may look at them
  // without the lock.
  Manifest manifest_;
  // The oldest log with records of the active table, and the number of its first one.
  std::uint64_t active_log_ = 0, active_first_record_ = 1;
  struct {
    std::uint64_t documents = 0, replaced = 0;
  } loaded_;  // by the last bulk load

  std::mutex work_mutex_;
  std::condition_variable work_changed_;
  bool stop_ = false, awake_ = false;
  struct Request {
    Wishes wishes;
    bool done = false;
    std::exception_ptr error;
  };
  std::deque<Request*> requests_;  // of those that wait in ask()
  std::thread worker_;
};

}  // namespace benzer
