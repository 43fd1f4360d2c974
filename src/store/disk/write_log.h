// The write-ahead log of a store on disk: what was written since its last segment.
//
// A file of records (base/record_log.h), each with a number that counts up. A record says how far
// the log was synced when it was written, and so does the mark beside it (sync_mark.h): damage
// before that is told from an end that a crash has torn.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "benzer/store.h"

#include "base/file.h"
#include "store/disk/read_log.h"
#include "store/disk/sync_mark.h"
#include "store/store.h"

namespace benzer {

// Before anything is written to this log or a later one: cuts the torn end off, and sees to it that
// the whole records are on the disk. Throws Error(kStorageFailed).
void settle_log(const std::string& path, const LogRead& read);

// Threads: append() one at a time; wait() any number, also while somebody appends.
// Errors: Error(kStorageFailed) that names the file. Where a write failed, its bytes are kept, and
// the next wait() tries again. After a failed sync nobody knows what is on the disk: each later
// call throws.
class WriteLog {
 public:
  // A new file, or one that is there, settled.
  WriteLog(std::string path, const LogRead& read, Durability durability);

  // Before the first record: its number.
  void start_at(std::uint64_t number);
  // Each sync moves the mark, and so does this call: what was there is synced, and all of the logs
  // before this one, which has this number.
  void keep_mark(std::shared_ptr<SyncMark> mark, std::uint64_t log);
  // What throws has appended nothing.
  void append(bool is_removal, const DocumentHashes& document);
  // Returns when all records up to this number are as durable as was asked. Whoever comes while
  // another one waits for the disk is served together with all others by the next sync.
  void wait(std::uint64_t number) { wait_for(number, durability_); }
  // The same, synced.
  void sync() { wait_for(next_number() - 1, Durability::kSync); }

  std::uint64_t next_number() const;
  std::uint64_t size() const;  // bytes, the buffer's among them
  const std::string& path() const noexcept { return path_; }

 private:
  void wait_for(std::uint64_t number, Durability durability);
  int write_out() noexcept;
  void move_mark() noexcept;
  [[noreturn]] void fail(int error, std::string_view what) const;

  const std::string path_;
  const Durability durability_;
  FileHandle file_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::string buffer_;   // appended, not written
  std::string writing_;  // what was taken from it to be written; where that failed, it stays
  std::uint64_t writing_last_ = 0;  // number of its last record
  bool half_written_ = false;       // there may be something of it behind written_bytes_
  std::uint64_t next_ = 1;          // number of the next record
  std::uint64_t written_ = 0;       // number of the last record that was written; and so on
  std::uint64_t synced_ = 0;
  std::uint64_t written_bytes_ = 0;
  std::uint64_t synced_bytes_ = 0;
  bool busy_ = false;  // somebody writes or syncs
  int sync_error_ = 0;
  std::shared_ptr<SyncMark> mark_;  // may be null
  std::uint64_t log_ = 0;           // number of the file
};

}  // namespace benzer
