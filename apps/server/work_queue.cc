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
  const std::size_t half = (most_waiting_ + 1) / 2;
  const std::lock_guard lock(mutex_);
  const auto own = clients_.find(client);
  if (own != clients_.end() && own->second.waiting >= half) return false;
  // What is added without asking counts for its own client alone.
  std::size_t all = 0;
  for (const auto& [name, count] : clients_) all += std::min(count.waiting, half);
  return all < most_waiting_;
}

void WorkQueue::add(const Owner& owner, Job job) {
  {
    const std::lock_guard lock(mutex_);
    owners_[owner].push_back({added_++, std::move(job)});
    ++waiting_;
    count(owner, [](Count& of) { ++of.waiting; });
  }
  changed_.notify_one();
}

bool WorkQueue::may_begin(const Owner& owner) const {
  const auto running = [](const std::map<std::string, Count>& counts, const std::string& name) {
    const auto at = counts.find(name);
    return at == counts.end() ? 0 : at->second.running;
  };
  const auto& [client, index] = owner;
  return running(clients_, client) < most_of_client_ &&
         (index.empty() || running(indexes_, index) < most_of_index_);
}

void WorkQueue::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    auto next = owners_.end();
    for (auto at = owners_.begin(); at != owners_.end(); ++at)
      if ((next == owners_.end() || at->second.front().number < next->second.front().number) &&
          may_begin(at->first))
        next = at;
    if (next == owners_.end()) {
      if (ends_ && waiting_ == 0) return;
      changed_.wait(lock);
      continue;
    }
    const Owner owner = next->first;
    Job job = std::move(next->second.front().job);
    next->second.pop_front();
    if (next->second.empty()) owners_.erase(next);
    --waiting_;
    ++running_;
    count(owner, [](Count& of) { --of.waiting, ++of.running; });
    lock.unlock();
    job();
    job = {};  // what the job holds goes before it counts as done
    lock.lock();
    --running_;
    count(owner, [](Count& of) { --of.running; });
    // A job of this client and one of this index may begin now. This thread takes one of them, and
    // one that sleeps the other. At the end all look again.
    if (ends_) {
      changed_.notify_all();
    } else if (waiting_ > 0) {
      changed_.notify_one();
    }
  }
}

std::size_t WorkQueue::waiting() const {
  const std::lock_guard lock(mutex_);
  return waiting_;
}

std::size_t WorkQueue::running() const {
  const std::lock_guard lock(mutex_);
  return running_;
}

}  // namespace benzer::server
