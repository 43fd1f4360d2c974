// Writes the write-ahead log of a store on disk: what was written since its last segment.
//
// The log is a file of records (base/record_log.h), each with a number that counts up. A record
// says how far the log was synced when it was written, and so does a mark in another file
// (sync_mark.h). So damage before that place can be told from an end that a crash has torn.
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

// Cuts off the torn end of a log, and makes sure that its whole records are on the disk. To be
// called before anything is written to this log or a later one. Throws Error(kStorageFailed).
void settle_log(const std::string& path, const LogRead& read);

// Threads: append() by one at a time; wait() by any number, also while another one appends.
// Errors: Error(kStorageFailed) that names the file. The bytes of a failed write are kept, and the
// next wait() tries again. After a failed sync it is unknown what is on the disk, so each later
// call throws.
class WriteLog {
 public:
  // Makes a new log, or settles and continues one that is there.
  WriteLog(std::string path, const LogRead& read, Durability durability);

  // Sets the number of the first record, before that is appended.
  void start_at(std::uint64_t number);
  // From now on each sync moves the mark, and so does this call: what is in the log is synced, and
  // so are all logs before this one, whose number is `log`.
  void keep_mark(std::shared_ptr<SyncMark> mark, std::uint64_t log);
  // If it throws, nothing was appended.
  void append(bool is_removal, const DocumentHashes& document);
  // Returns when all records up to this number are as durable as was asked. Threads that call this
  // while another one waits for the disk are all served by the next sync.
  void wait(std::uint64_t number) { wait_for(number, durability_); }
  // Returns when all records are synced.
  void sync() { wait_for(next_number() - 1, Durability::kSync); }

  // Up to where this log was synced.
  SyncMark::Place synced() const;
  std::uint64_t next_number() const;
  std::uint64_t size() const;  // in bytes, including those in the buffer
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
  std::string buffer_;              // appended, not written
  std::string writing_;             // taken from the buffer to be written; kept if that fails
  std::uint64_t writing_last_ = 0;  // number of its last record
  bool half_written_ = false;       // a part of it may be in the file after written_bytes_
  std::uint64_t next_ = 1;          // number of the next record
  std::uint64_t written_ = 0;       // number of the last record that was written
  std::uint64_t synced_ = 0;
  std::uint64_t written_bytes_ = 0;
  std::uint64_t synced_bytes_ = 0;
  bool busy_ = false;  // a thread writes or syncs
  int sync_error_ = 0;
  std::shared_ptr<SyncMark> mark_;  // may be null
  std::uint64_t log_ = 0;           // number of the file
};

}  // namespace benzer
