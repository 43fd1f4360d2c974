// Runs long work beside the interpreter: other threads of Python go on, Ctrl-C ends the work, and
// progress is reported.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>

#include <nanobind/nanobind.h>

#include "benzer/runtime.h"

namespace benzer::python {

// One piece of work. The thread that made the object waits in run() and looks for signals 20 times
// a second, while another thread does the work without the GIL.
class Background {
 public:
  // progress: called with stage, done and total, at most ten times a second and at the end; None:
  // nobody is told. stop: the flag that the work looks at; it must outlive the work. Several pieces
  // of work may share one, and then are stopped together.
  explicit Background(std::atomic<bool>& stop, nanobind::object progress = nanobind::none())
      : stop_(stop), progress_(std::move(progress)) {}

  const std::atomic<bool>* stop() const noexcept { return &stop_; }
  // For RunControl::progress.
  std::function<void(const Progress&)> report();

  // Returns when the work has ended, and throws what it threw. If a signal handler or the progress
  // callback raises, the work is stopped and the exception is thrown. Call it with the GIL.
  void run(const std::function<void()>& work);

 private:
  void tell();

  std::atomic<bool>& stop_;
  nanobind::object progress_;
  std::mutex mutex_;  // of what follows
  bool is_new_ = false;
  std::string stage_;
  std::uint64_t done_ = 0, total_ = 0;
};

// Runs work that ends when the flag that it is given turns true, as Ctrl-C makes it. The flag is
// its own: the calls of other threads go on.
template <class Work>
void run_stoppable(const Work& work) {
  std::atomic<bool> stop{false};
  Background(stop).run([&] { work(&stop); });
}

}  // namespace benzer::python
