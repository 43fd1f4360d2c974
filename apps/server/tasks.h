// Runs work that takes too long for a request, one task after the other, in a thread of its own.
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

#include "benzer/index.h"
#include "benzer/report.h"

#include "problem.h"
#include "served_indexes.h"

namespace benzer::server {

// The result of a deduplication, for its report.
struct DedupFindings : IndexDedup {
  std::optional<std::uint64_t> gone;  // how many of the removals are done; absent: a run that only
                                      // reports
  Report report;                      // with excerpts of the texts as they were before the removal
};

class Task {
 public:
  enum class Status { kEnqueued, kProcessing, kSucceeded, kFailed, kCanceled };

  const std::string& id() const noexcept { return id_; }
  const std::string& index() const noexcept { return index_; }
  // The answer to GET /v1/tasks/{id}.
  std::string json() const;
  bool is_over() const;
  // Changes whenever json() does, apart from "seconds".
  std::uint64_t version() const noexcept { return version_; }
  // Null if the task has none, or if they were dropped in favour of later tasks.
  std::shared_ptr<const DedupFindings> findings() const;

  // The following methods are for the task's own work.
  void progress(std::uint64_t done, std::uint64_t total);
  const std::atomic<bool>& stop() const noexcept { return stop_; }
  // The result so far, as JSON, in case the task does not finish.
  void set_result(std::string result);
  void set_findings(std::shared_ptr<const DedupFindings> findings);

 private:
  friend class Tasks;
  using Clock = std::chrono::steady_clock;

  std::string client_, id_, kind_, index_, created_;
  // Returns the result as JSON. Null once the task is over.
  std::function<std::string(Task&)> work_;
  std::atomic<bool> stop_{false};
  std::atomic<std::uint64_t> version_{0};
  mutable std::mutex mutex_;  // guards the following members
  std::shared_ptr<const DedupFindings> findings_;
  Status status_ = Status::kEnqueued;
  std::uint64_t done_ = 0, total_ = 0;  // total 0: unknown
  Clock::time_point begun_, ended_;
  std::string result_, problem_;  // JSON
};

// Thread-safe.
class Tasks {
 public:
  Tasks();
  // Stops, and waits for the running task.
  ~Tasks();
  // Tells the running task to end, and starts no other one.
  void stop();

  // Throws Problem(429) if too many tasks wait, of all clients or of this one, and
  // Error(kInterrupted) after stop(). Clients take turns.
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
  void drop_old_findings();

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
