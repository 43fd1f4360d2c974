#include "base/background_thread.h"

#include <chrono>
#include <exception>

namespace benzer {
namespace {

constexpr auto kIdle = std::chrono::seconds(5);  // after this a thread ends

}  // namespace

BackgroundThread::~BackgroundThread() {
  std::unique_lock lock(mutex_);
  stop_ = true;
  if (!has_thread_ && awake_) run_work(lock);  // there was no thread for it
  lock.unlock();
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void BackgroundThread::wake() noexcept {
  const std::lock_guard lock(mutex_);
  awake_ = true;
  if (has_thread_) {
    changed_.notify_all();
    return;
  }
  if (thread_.joinable()) thread_.join();  // it has ended, or is about to
  try {
    thread_ = std::thread([this] { run(); });
    has_thread_ = true;
  } catch (const std::exception&) {  // no thread, or no memory for one
  }
}

void BackgroundThread::ask(const std::function<void()>& task) {
  std::unique_lock lock(mutex_);
  ++waiting_;
  changed_.wait(lock, [&] { return !is_busy_; });
  --waiting_;
  const Turn turn(*this, lock);  // waits for nothing
  task();
}

// Called with the lock, and returns with it.
void BackgroundThread::run_work(std::unique_lock<std::mutex>& lock) {
  awake_ = false;
  const Turn turn(*this, lock);
  try {
    work_();
  } catch (...) {
  }
}

void BackgroundThread::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    // Callers go first: they wait, and wake() may be called all the time.
    if (waiting_ > 0)
      changed_.wait(lock, [&] { return waiting_ == 0 && !is_busy_; });
    else if (awake_)
      run_work(lock);
    else if (stop_ || !changed_.wait_for(lock, kIdle, [&] { return stop_ || awake_; }))
      break;
  }
  has_thread_ = false;
}

}  // namespace benzer
