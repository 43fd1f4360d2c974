// Runs one job on a thread of its own whenever it is woken, and other tasks on request, one at a
// time.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace benzer {

// Threads: any number.
class BackgroundThread {
 public:
  // `work` is called after wake(). Its exceptions are dropped: the owner must wake it again.
  explicit BackgroundThread(std::function<void()> work);
  // Finishes everything that wake() and ask() requested, then joins the thread.
  ~BackgroundThread();
  BackgroundThread(const BackgroundThread&) = delete;
  BackgroundThread& operator=(const BackgroundThread&) = delete;

  // Requests a call of `work` and returns at once. Several requests may share one call.
  void wake();
  // Runs the task on the thread, waits until it ends and throws what it throws. Must not be called
  // from the thread itself.
  void ask(std::function<void()> task);

 private:
  struct Request {
    std::function<void()> task;
    bool done = false;
    std::exception_ptr error;
  };

  void run();

  const std::function<void()> work_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stop_ = false, awake_ = false;
  std::deque<Request*> requests_;  // of callers that wait in ask()
  std::thread thread_;
};

}  // namespace benzer
