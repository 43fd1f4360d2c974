// A lock for many readers or one writer, in which readers cannot keep a writer waiting for ever.
// std::shared_mutex does not promise that, and that of glibc prefers readers.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace benzer {

// For std::shared_lock and std::unique_lock. No thread may lock it twice.
class RwLock {
 public:
  void lock() {
    std::unique_lock lock(mutex_);
    ++writers_waiting_;
    changed_.wait(lock, [&] { return !writing_ && readers_ == 0; });
    --writers_waiting_;
    writing_ = true;
  }
  void unlock() {
    {
      const std::lock_guard lock(mutex_);
      writing_ = false;
    }
    changed_.notify_all();
  }
  void lock_shared() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !writing_ && writers_waiting_ == 0; });
    ++readers_;
  }
  void unlock_shared() {
    bool last = false;
    {
      const std::lock_guard lock(mutex_);
      last = --readers_ == 0;
    }
    if (last) changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint32_t readers_ = 0;
  std::uint32_t writers_waiting_ = 0;
  bool writing_ = false;
};

// Stands in for a lock in code whose caller already holds another one.
struct NoLock {};

}  // namespace benzer
