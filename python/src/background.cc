#include "background.h"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <optional>
#include <thread>

#include "benzer/error.h"

namespace nb = nanobind;

namespace benzer::python {

std::function<void(const Progress&)> Background::report() {
  if (progress_.is_none()) return {};
  return [this](const Progress& progress) {
    const std::lock_guard lock(mutex_);
    is_new_ = true;
    stage_ = progress.stage;
    done_ = progress.done;
    total_ = progress.total;
  };
}

void Background::tell() {
  std::string stage;
  std::uint64_t done = 0, total = 0;
  {
    const std::lock_guard lock(mutex_);
    if (!is_new_) return;
    is_new_ = false;
    stage = stage_;
    done = done_;
    total = total_;
  }
  progress_(nb::str(stage.c_str()), done, total);
}

void Background::run(const std::function<void()>& work) {
  constexpr auto kLook = std::chrono::milliseconds(50);
  std::mutex mutex;
  std::condition_variable changed;
  bool ended = false;
  std::exception_ptr failure;
  std::thread worker([&] {
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    ended = true;
    changed.notify_all();
  });
  std::optional<nb::python_error> interruption;
  int looks = 0;
  for (bool is_done = false; !is_done;) {
    {
      nb::gil_scoped_release release;
      std::unique_lock lock(mutex);
      is_done = changed.wait_for(lock, kLook, [&] { return ended; });
    }
    if (interruption) continue;  // only the end of the work is waited for
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      // A report every 100 ms is enough for the eye. The last one comes in any case.
      if (is_done || ++looks % 2 == 0) tell();
    } catch (nb::python_error& error) {
      interruption.emplace(std::move(error));
      stop_.store(true);
    }
  }
  {
    nb::gil_scoped_release release;
    worker.join();
  }
  if (interruption) {
    stop_.store(false);
    throw std::move(*interruption);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace benzer::python
