#include "stop_watch.h"

#include <chrono>
#include <cstdlib>

#include <fmt/format.h>
#include <unistd.h>

#include "../server/log_writer.h"
#include "signals.h"

namespace benzer::cli {

StopWatch::~StopWatch() {
  {
    const std::lock_guard lock(mutex_);
    has_stopped_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void StopWatch::start() {
  thread_ = std::thread([this] { run(); });
}

void StopWatch::run() {
  {
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, std::chrono::duration<double>(seconds_),
                          [&] { return has_stopped_; }))
      return;
  }
  // On a writer of its own, whose destructor waits until the line is out, or gives up.
  server::LogWriter(STDERR_FILENO)
      .write(fmt::format("benzer: something did not end within {:g} s, so the process ends without "
                         "it; nothing that was acknowledged is lost\n",
                         seconds_));
  std::_Exit(kInterruptedExit);
}

}  // namespace benzer::cli
