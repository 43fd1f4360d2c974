// Carries out work for requests on threads of its own, so that the threads of connections never
// wait for the disk, for another server, or for a long computation.
#pragma once

#include <compare>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <future>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace benzer::server {

// Jobs begin in the order in which they were added, but one client has at most half of the threads,
// and one index three quarters: their next jobs let others go first. So the jobs of a client that
// asks for much, or of an index whose disk or server has stopped to answer, do not hold up the
// others. Thread-safe.
class WorkQueue {
 public:
  // For whom a job is carried out. index: empty for jobs that concern none.
  struct Owner {
    std::string client, index;
    friend auto operator<=>(const Owner&, const Owner&) = default;
  };
  using Job = std::packaged_task<void()>;

  // threads: at least 2. most_waiting: jobs that may wait for a thread; half of them for one
  // client.
  WorkQueue(std::size_t threads, std::size_t most_waiting);
  // Waits for all jobs, those that have not begun included.
  ~WorkQueue();
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  // Returns whether another job of the client may wait. It is asked before a request is begun,
  // whose further jobs are added without asking; so a client may have more than its half, and
  // nobody else is refused because of that.
  bool has_room(const std::string& client) const;
  void add(const Owner& owner, Job job);

  std::size_t waiting() const;
  std::size_t running() const;

 private:
  struct Waiting {
    std::uint64_t number;  // smaller for those that were added earlier
    Job job;
  };
  struct Count {
    std::size_t waiting = 0, running = 0;
  };

  void run();
  bool may_begin(const Owner& owner) const;
  // Changes the counts of the owner's client and index. Entries without jobs go.
  template <class Change>
  void count(const Owner& owner, Change change);

  const std::size_t most_of_client_, most_of_index_;
  const std::size_t most_waiting_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // One owner may have thousands of jobs, but there are few owners.
  std::map<Owner, std::deque<Waiting>> owners_;
  std::map<std::string, Count> clients_, indexes_;  // those that have jobs
  std::uint64_t added_ = 0;
  std::size_t waiting_ = 0, running_ = 0;
  bool ends_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace benzer::server
