// Stores what is known of tasks, so that it outlives the process.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sqlite_database.h"

namespace benzer::server {

struct TaskRecord {
  enum class Status { kEnqueued, kProcessing, kSucceeded, kFailed, kCanceled };

  std::string id, client, kind, index, created;
  Status status = Status::kEnqueued;
  double seconds = 0;                 // that it took
  std::uint64_t done = 0, total = 0;  // total 0: unknown
  std::string result, problem;        // JSON, or empty

  bool is_over() const noexcept {
    return status != Status::kEnqueued && status != Status::kProcessing;
  }
};

std::string_view name_of(TaskRecord::Status status);

// A table of SQLite. Thread-safe. Methods throw Error(kStorageFailed) or Error(kCorrupt).
class TaskRecords {
 public:
  // database: a file, which is made if it is not there. Only the last `most` tasks are kept.
  TaskRecords(const std::string& database, std::size_t most);

  // Adds the record, or replaces that with the same id, and syncs it.
  void save(const TaskRecord& record);
  // The oldest first.
  std::vector<TaskRecord> load() const;

 private:
  SqliteDatabase database_;
  std::int64_t most_;
  SqliteDatabase::Statement save_, prune_, load_;
};

}  // namespace benzer::server
