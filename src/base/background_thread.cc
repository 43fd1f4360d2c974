#include "base/background_thread.h"

#include <utility>

namespace benzer {

BackgroundThread::BackgroundThread(std::function<void()> work)
    : work_(std::move(work)), thread_([this] { run(); }) {}

BackgroundThread::~BackgroundThread() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void BackgroundThread::wake() {
  {
    const std::lock_guard lock(mutex_);
    awake_ = true;
  }
  changed_.notify_all();
}

void BackgroundThread::ask(std::function<void()> task) {
  Request request{std::move(task), false, nullptr};
  std::unique_lock lock(mutex_);
  requests_.push_back(&request);
  changed_.notify_all();
  changed_.wait(lock, [&] { return request.done; });
  if (request.error) std::rethrow_exception(request.error);
}

void BackgroundThread::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stop_ || awake_ || !requests_.empty(); });
    if (!awake_ && requests_.empty()) return;
    Request* request = nullptr;
    if (!requests_.empty()) {
      request = requests_.front();
      requests_.pop_front();
    } else {
      awake_ = false;
    }
    lock.unlock();
    std::exception_ptr error;
    try {
      request ? request->task() : work_();
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    if (!request) continue;
    request->error = error;
    request->done = true;
    changed_.notify_all();
  }
}

}  // namespace benzer
