#include "work_queue.h"

#include <algorithm>
#include <utility>

namespace benzer::server {

WorkQueue::WorkQueue(std::size_t threads, std::size_t most_waiting)
    : most_of_client_((threads + 1) / 2),
      most_of_index_(threads - std::max<std::size_t>(1, threads / 4)),
      most_waiting_(most_waiting) {
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); });
}

WorkQueue::~WorkQueue() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

template <class Change>
void WorkQueue::count(const Owner& owner, Change change) {
  const auto in = [&](std::map<std::string, Count>& counts, const std::string& name) {
    const auto at = counts.try_emplace(name).first;
    change(at->second);
    if (at->second.waiting + at->second.running == 0) counts.erase(at);
  };
  in(clients_, owner.client);
  if (!owner.index.empty()) in(indexes_, owner.index);
}

bool WorkQueue::has_room(const std::string& client) const {
  const std::lock_guard lock(mutex_);
  const auto of_client = clients_.find(client);
  return waiting_.size() < most_waiting_ &&
         (of_client == clients_.end() || of_client->second.waiting < (most_waiting_ + 1) / 2);
}

void WorkQueue::add(const Owner& owner, Job job) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back({owner, std::move(job)});
    count(owner, [](Count& of) { ++of.waiting; });
  }
  changed_.notify_one();
}

bool WorkQueue::may_begin(const Owner& owner) const {
  const auto running = [](const std::map<std::string, Count>& counts, const std::string& name) {
    const auto at = counts.find(name);
    return at == counts.end() ? 0 : at->second.running;
  };
  return running(clients_, owner.client) < most_of_client_ &&
         (owner.index.empty() || running(indexes_, owner.index) < most_of_index_);
}

void WorkQueue::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    const auto next = std::find_if(waiting_.begin(), waiting_.end(),
                                   [&](const Waiting& one) { return may_begin(one.owner); });
    if (next == waiting_.end()) {
      if (ends_ && waiting_.empty()) return;
      changed_.wait(lock);
      continue;
    }
    Waiting one = std::move(*next);
    waiting_.erase(next);
    ++running_;
    count(one.owner, [](Count& of) { --of.waiting, ++of.running; });
    lock.unlock();
    one.job();
    one.job = {};  // what the job holds goes before it counts as done
    lock.lock();
    --running_;
    count(one.owner, [](Count& of) { --of.running; });
    // One that had to let others go first may begin now, on a thread that sleeps; and at the end
    // all threads look again.
    if (!waiting_.empty() || ends_) changed_.notify_all();
  }
}

std::size_t WorkQueue::waiting() const {
  const std::lock_guard lock(mutex_);
  return waiting_.size();
}

std::size_t WorkQueue::running() const {
  const std::lock_guard lock(mutex_);
  return running_;
}

}  // namespace benzer::server
