// Runs work that takes too long for a request, one task after the other, in a thread of its own.
// What is known of tasks is stored.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "problem.h"
#include "task_records.h"

namespace benzer::server {

class Task {
 public:
  using Status = TaskRecord::Status;
  explicit Task(TaskRecord record, TaskRecords& records)
      : record_(std::move(record)), records_(records) {}

  const std::string& id() const noexcept { return record_.id; }
  const std::string& index() const noexcept { return record_.index; }
  // The answer to GET /v1/tasks/{id}.
  std::string json() const;
  bool is_over() const;
  // Changes whenever json() does, apart from "seconds".
  std::uint64_t version() const noexcept { return version_; }

  // The following methods are for the task's own work.
  void progress(std::uint64_t done, std::uint64_t total);
  const std::atomic<bool>& stop() const noexcept { return stop_; }
  // The result so far, as JSON, in case the task does not finish.
  void set_result(std::string result);

 private:
  friend class Tasks;
  using Clock = std::chrono::steady_clock;

  void change(Status status, std::string result = {}, std::string problem = {});
  void show(TaskRecord changed);
  void save(const TaskRecord& record);

  // Returns the result as JSON. Null once the task is over.
  std::function<std::string(Task&)> work_;
  std::atomic<bool> stop_{false};
  std::atomic<bool> is_canceled_{false};  // and not told to stop since the server ends
  std::atomic<std::uint64_t> version_{0};
  mutable std::mutex mutex_;  // guards the following members, but for what names the task
  TaskRecord record_;
  Clock::time_point begun_;
  TaskRecords& records_;
};

// Thread-safe.
class Tasks {
 public:
  // database: a file with the tasks of an earlier process; those that had not ended have failed.
  explicit Tasks(const std::string& database);
  // Stops, and waits for the running task.
  ~Tasks();
  // Tells the running task to end, and starts no other one.
  void stop();

  // Throws Problem(429) if too many tasks wait, of all clients or of this one, Error(kInterrupted)
  // after stop(), and Error(kStorageFailed) if the task cannot be stored. Clients take turns.
  std::shared_ptr<Task> add(std::string client, std::string kind, std::string index,
                            std::function<std::string(Task&)> work);
  // Throws Problem(404).
  std::shared_ptr<Task> find(std::string_view id) const;
  // The last 100 tasks, the newest first.
  std::vector<std::shared_ptr<Task>> list() const;
  void cancel(Task& task);

 private:
  void run();
  static void carry_out(Task& task);
  void check_room(const std::string& client) const;

  TaskRecords records_;
  std::mutex adding_;  // held while a task is stored, when mutex_ is not
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Task>> all_;      // the oldest first
  std::deque<std::shared_ptr<Task>> waiting_;  // the next one first
  std::shared_ptr<Task> running_;
  std::string last_client_;
  // A part of the ids, so that after a restart an old id does not name a new task.
  std::chrono::system_clock::time_point started_ = std::chrono::system_clock::now();
  std::uint64_t last_ = 0;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace benzer::server
