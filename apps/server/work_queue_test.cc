#include "work_queue.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace benzer::server {
namespace {

// Holds jobs up until they may go on, and records which ones have begun.
class Gate {
 public:
  WorkQueue::Job job(const std::string& name) {
    return WorkQueue::Job([this, name] {
      std::unique_lock lock(mutex_);
      begun_.push_back(name);
      changed_.notify_all();
      changed_.wait(lock, [&] { return open_; });
    });
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  std::vector<std::string> wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return begun_.size() >= count; });
    return begun_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> begun_;
  bool open_ = false;
};

TEST(WorkQueue, CarriesOutAllJobs) {
  std::atomic<int> done{0};
  {
    WorkQueue queue(3, 1000);
    for (int i = 0; i < 500; ++i)
      queue.add({std::to_string(i % 7), std::to_string(i % 3)}, WorkQueue::Job([&] { ++done; }));
  }
  EXPECT_EQ(done, 500);
}

TEST(WorkQueue, OneClientOrIndexLeavesThreadsToOthers) {
  for (const bool by_index : {false, true}) {
    Gate gate;
    WorkQueue queue(4, 100);
    for (int i = 0; i < 8; ++i)
      queue.add(by_index ? WorkQueue::Owner{"c" + std::to_string(i), "stuck"}
                         : WorkQueue::Owner{"greedy", "a"},
                gate.job("many"));
    const std::size_t most = by_index ? 3 : 2;
    gate.wait_for(most);
    EXPECT_EQ(queue.running(), most);
    queue.add({"other", by_index ? "b" : "a"}, gate.job("other"));
    EXPECT_EQ(gate.wait_for(most + 1).back(), "other");
    EXPECT_EQ(queue.waiting(), 8 - most);
    gate.open();
  }
}

TEST(WorkQueue, LimitsWhatWaits) {
  Gate gate;
  WorkQueue queue(2, 6);
  queue.add({"a", {}}, gate.job("a"));  // one client has one of the two threads
  gate.wait_for(1);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(queue.has_room("a")) << i;
    queue.add({"a", {}}, gate.job("a"));
  }
  EXPECT_FALSE(queue.has_room("a"));  // half of the places
  for (int i = 0; i < 10; ++i) queue.add({"a", {}}, gate.job("a"));
  EXPECT_TRUE(queue.has_room("b"));  // whatever it adds
  queue.add({"b", {}}, gate.job("b"));
  gate.wait_for(2);
  for (const std::string client : {"b", "c", "d"}) {
    EXPECT_TRUE(queue.has_room(client));
    queue.add({client, {}}, gate.job(client));
  }
  EXPECT_FALSE(queue.has_room("e"));  // all of them
  gate.open();
}

}  // namespace
}  // namespace benzer::server
