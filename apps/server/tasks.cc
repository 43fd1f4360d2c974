#include "tasks.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "benzer/error.h"

#include "../shared/json.h"
#include "served_index.h"

namespace benzer::server {
namespace {

constexpr std::size_t kMostKept = 100;
constexpr std::size_t kMostWaiting = 16;
constexpr std::ptrdiff_t kMostWaitingOfOne = 8;  // client

std::string server_ended() {
  return Problem(503, "server_ended", "the server ended before the task did")
      .hint("Start it again. What a dedup had removed stays removed.")
      .json();
}

}  // namespace

bool Task::is_over() const {
  const std::lock_guard lock(mutex_);
  return record_.is_over();
}

// Without room on the disk a task goes on, and is listed as one that has not ended if the server
// starts again.
void Task::save(const TaskRecord& record) {
  try {
    records_.save(record);
  } catch (const Error&) {
  }
}

void Task::set_result(std::string result) {
  TaskRecord changed;
  {
    const std::lock_guard lock(mutex_);
    changed = record_;
  }
  changed.result = std::move(result);
  show(std::move(changed));
}

void Task::progress(std::uint64_t done, std::uint64_t total) {
  const std::lock_guard lock(mutex_);
  record_.done = done;
  record_.total = total;
  ++version_;
}

void Task::change(Status status, std::string result, std::string problem) {
  TaskRecord changed;
  {
    const std::lock_guard lock(mutex_);
    changed = record_;
    if (status == Status::kProcessing) begun_ = Clock::now();
    if (changed.status == Status::kProcessing && begun_ != Clock::time_point())
      changed.seconds = std::chrono::duration<double>(Clock::now() - begun_).count();
  }
  changed.status = status;
  if (!result.empty()) changed.result = std::move(result);
  changed.problem = std::move(problem);
  show(std::move(changed));
}

// Stores what has changed before others can see it: what was seen of a task is there after a
// restart, too.
void Task::show(TaskRecord changed) {
  save(changed);
  // What names the task is read without the lock, so it stays untouched.
  const std::lock_guard lock(mutex_);
  record_.status = changed.status;
  record_.seconds = changed.seconds;
  record_.result = std::move(changed.result);
  record_.problem = std::move(changed.problem);
  ++version_;
}

std::string Task::json() const {
  const std::lock_guard lock(mutex_);
  JsonObject progress, out;
  progress.add("done", record_.done).add("total", record_.total);
  out.add("id", record_.id).add("kind", record_.kind).add("index", record_.index);
  out.add("status", name_of(record_.status))
      .raw("progress", record_.total == 0 ? "null" : progress.str());
  out.add("created_at", record_.created);
  const double seconds = record_.status == Status::kProcessing
                             ? std::chrono::duration<double>(Clock::now() - begun_).count()
                             : record_.seconds;
  out.add("seconds", seconds).raw("result", record_.result.empty() ? "null" : record_.result);
  return out.raw("problem", record_.problem.empty() ? "null" : record_.problem).str();
}

Tasks::Tasks(const std::string& database) : records_(database, kMostKept) {
  for (TaskRecord& record : records_.load()) {
    auto task = std::make_shared<Task>(std::move(record), records_);
    if (!task->is_over()) task->change(Task::Status::kFailed, {}, server_ended());
    all_.push_back(std::move(task));
  }
  thread_ = std::thread([this] { run(); });
}

Tasks::~Tasks() {
  stop();
  thread_.join();
}

void Tasks::stop() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
    if (running_) running_->stop_ = true;
  }
  changed_.notify_all();
}

void Tasks::check_room(const std::string& client) const {
  const std::lock_guard lock(mutex_);
  if (ends_) throw Error(ErrorCode::kInterrupted, "the server is stopping");
  const auto own = std::count_if(
      waiting_.begin(), waiting_.end(),
      [&](const std::shared_ptr<Task>& one) { return one->record_.client == client; });
  if (waiting_.size() >= kMostWaiting || own >= kMostWaitingOfOne)
    throw Problem(429, "too_many_tasks",
                  fmt::format("{} tasks wait already, {} of them yours", waiting_.size(), own))
        .retry_after(10)
        .hint("Wait for one to end, or cancel one.");
}

// mutex_ is not held while the disk works, so that find() does not wait.
std::shared_ptr<Task> Tasks::add(std::string client, std::string kind, std::string index,
                                 std::function<std::string(Task&)> work) {
  const std::lock_guard one_at_a_time(adding_);
  check_room(client);
  TaskRecord record;
  record.id = fmt::format(
      "{}-{:x}", ++last_,
      std::chrono::duration_cast<std::chrono::milliseconds>(started_.time_since_epoch()).count());
  record.client = std::move(client);
  record.kind = std::move(kind);
  record.index = std::move(index);
  record.created = time_now();
  records_.save(record);
  auto task = std::make_shared<Task>(std::move(record), records_);
  task->work_ = std::move(work);
  const std::lock_guard lock(mutex_);
  all_.push_back(task);
  waiting_.push_back(task);
  for (auto at = all_.begin(); all_.size() > kMostKept && at != all_.end();)
    at = (*at)->is_over() ? all_.erase(at) : at + 1;
  changed_.notify_all();
  return task;
}

std::shared_ptr<Task> Tasks::find(std::string_view id) const {
  const std::lock_guard lock(mutex_);
  for (const auto& task : all_)
    if (task->id() == id) return task;
  throw Problem(404, "task_not_found", "there is no task with this id")
      .hint("The last 100 are kept.");
}

std::vector<std::shared_ptr<Task>> Tasks::list() const {
  const std::lock_guard lock(mutex_);
  return {all_.rbegin(), all_.rend()};
}

void Tasks::cancel(Task& task) {
  task.is_canceled_ = true;
  task.stop_ = true;
  // Destroyed after the lock is released: it may hold the last reference to a removed index, whose
  // destructor removes the folder.
  std::function<std::string(Task&)> work;
  {
    const std::lock_guard lock(mutex_);
    const auto at =
        std::find_if(waiting_.begin(), waiting_.end(),
                     [&](const std::shared_ptr<Task>& one) { return one.get() == &task; });
    if (at == waiting_.end()) return;
    work = std::exchange(task.work_, nullptr);
    waiting_.erase(at);
  }
  task.change(Task::Status::kCanceled);
}

void Tasks::run() {
  while (true) {
    std::shared_ptr<Task> task;
    {
      std::unique_lock lock(mutex_);
      running_.reset();
      changed_.wait(lock, [&] { return ends_ || !waiting_.empty(); });
      if (ends_) return;
      // Another client's than the last one, so that nobody waits for all tasks of one client.
      auto next = std::find_if(
          waiting_.begin(), waiting_.end(),
          [&](const std::shared_ptr<Task>& one) { return one->record_.client != last_client_; });
      if (next == waiting_.end()) next = waiting_.begin();
      task = *next;
      waiting_.erase(next);
      last_client_ = task->record_.client;
      running_ = task;
    }
    carry_out(*task);
  }
}

void Tasks::carry_out(Task& task) {
  using Status = Task::Status;
  task.change(Status::kProcessing);
  try {
    std::string result = task.work_(task);
    task.change(Status::kSucceeded, std::move(result));
  } catch (const Problem& problem) {
    task.change(Status::kFailed, {}, problem.json());
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kInterrupted || !task.stop_)
      task.change(Status::kFailed, {}, problem_of(error).json());
    else if (task.is_canceled_)
      task.change(Status::kCanceled);
    else
      task.change(Status::kFailed, {}, server_ended());
  } catch (const std::exception&) {
    task.change(Status::kFailed, {},
                Problem(500, "internal", "the server failed to carry this out").json());
  }
  task.work_ = nullptr;  // releases the index, which may have been removed
}

}  // namespace benzer::server
