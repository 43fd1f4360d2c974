#include "tasks.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "benzer/error.h"

#include "../shared/json.h"

namespace benzer::server {
namespace {

constexpr std::size_t kMostKept = 100;
constexpr std::size_t kMostWaiting = 16;
constexpr std::ptrdiff_t kMostWaitingOfOne = 8;  // client
constexpr std::size_t kMostFindings = 5;         // each may have the ids of a whole index

std::string_view name_of(Task::Status status) {
  constexpr std::array<std::string_view, 5> kNames = {"enqueued", "processing", "succeeded",
                                                      "failed", "canceled"};
  return kNames[static_cast<std::size_t>(status)];
}

}  // namespace

bool Task::is_over() const {
  const std::lock_guard lock(mutex_);
  return status_ != Status::kEnqueued && status_ != Status::kProcessing;
}

std::shared_ptr<const DedupFindings> Task::findings() const {
  const std::lock_guard lock(mutex_);
  return findings_;
}

void Task::set_findings(std::shared_ptr<const DedupFindings> findings) {
  const std::lock_guard lock(mutex_);
  findings_ = std::move(findings);
}

void Task::set_result(std::string result) {
  const std::lock_guard lock(mutex_);
  result_ = std::move(result);
  ++version_;
}

void Task::progress(std::uint64_t done, std::uint64_t total) {
  const std::lock_guard lock(mutex_);
  done_ = done;
  total_ = total;
  ++version_;
}

std::string Task::json() const {
  const std::lock_guard lock(mutex_);
  JsonObject progress, out;
  progress.add("done", done_).add("total", total_);
  out.add("id", id_).add("kind", kind_).add("index", index_);
  out.add("status", name_of(status_)).raw("progress", total_ == 0 ? "null" : progress.str());
  out.add("created_at", created_);
  const Clock::time_point end = status_ == Status::kProcessing ? Clock::now() : ended_;
  out.add("seconds", std::chrono::duration<double>(end - begun_).count());
  out.raw("result", result_.empty() ? "null" : result_);
  return out.raw("problem", problem_.empty() ? "null" : problem_).str();
}

Tasks::Tasks() : thread_([this] { run(); }) {}

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

std::shared_ptr<Task> Tasks::add(std::string client, std::string kind, std::string index,
                                 std::function<std::string(Task&)> work) {
  const std::lock_guard lock(mutex_);
  if (ends_) throw Error(ErrorCode::kInterrupted, "the server is stopping");
  const auto own =
      std::count_if(waiting_.begin(), waiting_.end(),
                    [&](const std::shared_ptr<Task>& one) { return one->client_ == client; });
  if (waiting_.size() >= kMostWaiting || own >= kMostWaitingOfOne)
    throw Problem(429, "too_many_tasks",
                  fmt::format("{} tasks wait already, {} of them yours", waiting_.size(), own))
        .retry_after(10)
        .hint("Wait for one to end, or cancel one.");
  auto task = std::make_shared<Task>();
  task->id_ = fmt::format(
      "{}-{:x}", ++last_,
      std::chrono::duration_cast<std::chrono::milliseconds>(started_.time_since_epoch()).count());
  task->client_ = std::move(client);
  task->kind_ = std::move(kind);
  task->index_ = std::move(index);
  task->created_ = time_now();
  task->work_ = std::move(work);
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
    if (task->id_ == id) return task;
  throw Problem(404, "task_not_found", "there is no task with this id")
      .hint("The last 100 are kept, until the server ends.");
}

std::vector<std::shared_ptr<Task>> Tasks::list() const {
  const std::lock_guard lock(mutex_);
  return {all_.rbegin(), all_.rend()};
}

void Tasks::cancel(Task& task) {
  task.stop_ = true;
  // Destroyed after the lock is released: it may hold the last reference to a removed index, whose
  // destructor removes the folder.
  std::function<std::string(Task&)> work;
  const std::lock_guard lock(mutex_);
  for (auto at = waiting_.begin(); at != waiting_.end(); ++at) {
    if (at->get() != &task) continue;
    {
      const std::lock_guard own(task.mutex_);
      task.status_ = Task::Status::kCanceled;
      ++task.version_;
    }
    work = std::exchange(task.work_, nullptr);
    waiting_.erase(at);
    return;
  }
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
          [&](const std::shared_ptr<Task>& one) { return one->client_ != last_client_; });
      if (next == waiting_.end()) next = waiting_.begin();
      task = *next;
      waiting_.erase(next);
      last_client_ = task->client_;
      running_ = task;
    }
    carry_out(*task);
    drop_old_findings();
  }
}

void Tasks::drop_old_findings() {
  // Destroyed after the lock is released, because there may be millions of ids.
  std::vector<std::shared_ptr<const DedupFindings>> old;
  const std::lock_guard lock(mutex_);
  std::size_t with_findings = 0;
  for (auto at = all_.rbegin(); at != all_.rend(); ++at) {
    auto findings = (*at)->findings();
    if (!findings || ++with_findings <= kMostFindings) continue;
    old.push_back(std::move(findings));
    (*at)->set_findings(nullptr);
  }
}

void Tasks::carry_out(Task& task) {
  const auto change = [&](Task::Status status, std::string result, std::string problem) {
    const std::lock_guard lock(task.mutex_);
    task.status_ = status;
    (status == Task::Status::kProcessing ? task.begun_ : task.ended_) = Task::Clock::now();
    if (!result.empty()) task.result_ = std::move(result);
    task.problem_ = std::move(problem);
    ++task.version_;
  };
  change(Task::Status::kProcessing, {}, {});
  try {
    std::string result = task.work_(task);
    change(Task::Status::kSucceeded, std::move(result), {});
  } catch (const Problem& problem) {
    change(Task::Status::kFailed, {}, problem.json());
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kInterrupted && task.stop_) {
      change(Task::Status::kCanceled, {}, {});
    } else {
      change(Task::Status::kFailed, {}, problem_of(error).json());
    }
  } catch (const std::exception&) {
    change(Task::Status::kFailed, {},
           Problem(500, "internal", "the server failed to carry this out").json());
  }
  task.work_ = nullptr;  // releases the index, which may have been removed
}

}  // namespace benzer::server
