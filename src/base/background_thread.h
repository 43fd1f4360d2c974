// Runs one job in the background whenever it is woken, and other tasks on request, one at a time.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace benzer {

// There is a thread only while there is something to do and for some seconds after that, so that a
// thousand owners that are idle have none.
//
// Threads: any number.
class BackgroundThread {
 public:
  // `work` is called after wake(). Its exceptions are dropped: the owner must wake it again.
  explicit BackgroundThread(std::function<void()> work) : work_(std::move(work)) {}
  // Finishes everything that wake() requested.
  ~BackgroundThread();
  BackgroundThread(const BackgroundThread&) = delete;
  BackgroundThread& operator=(const BackgroundThread&) = delete;

  // Requests a call of `work` and returns at once. Several requests may share one call. If the
  // system has no thread to spare, `work` waits for the next wake().
  void wake() noexcept;
  // Runs the task in the caller's thread, as soon as neither `work` nor another task runs; `work`
  // lets it go first. Must not be called by either.
  void ask(const std::function<void()>& task);

 private:
  // As long as it exists, the lock is released, and neither `work` nor a task of others runs.
  class Turn {
   public:
    Turn(BackgroundThread& of, std::unique_lock<std::mutex>& lock) : of_(of), lock_(lock) {
      of_.changed_.wait(lock_, [&] { return !of_.is_busy_; });
      of_.is_busy_ = true;
      lock_.unlock();
    }
    ~Turn() {
      lock_.lock();
      of_.is_busy_ = false;
      of_.changed_.notify_all();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    BackgroundThread& of_;
    std::unique_lock<std::mutex>& lock_;
  };

  void run();
  void run_work(std::unique_lock<std::mutex>& lock);

  const std::function<void()> work_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stop_ = false, awake_ = false;
  bool has_thread_ = false;  // thread_ has not ended
  bool is_busy_ = false;     // `work` or a task runs
  int waiting_ = 0;          // callers of ask() that have no turn yet
  std::thread thread_;
};

}  // namespace benzer
