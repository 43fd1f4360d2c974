// A thread that does one thing whenever it is woken, and on request another, one after the other.
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
  // What the work throws when nobody asked for it is told to nobody: it must be tried again later.
  explicit BackgroundThread(std::function<void()> work);
  // Waits until all is done that the thread was woken or asked for.
  ~BackgroundThread();
  BackgroundThread(const BackgroundThread&) = delete;
  BackgroundThread& operator=(const BackgroundThread&) = delete;

  // Have the work done, some time.
  void wake();
  // Has this done, and waits until it is; throws what it throws. Not from the thread itself.
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
  std::deque<Request*> requests_;  // of those that wait in ask()
  std::thread thread_;
};

}  // namespace benzer
