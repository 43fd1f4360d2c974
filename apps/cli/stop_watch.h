// Ends the process when a stop takes too long.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

namespace benzer::cli {

// A disk or another server that does not answer holds up whoever asks it, and cannot be told to
// end. Then the process ends as by a kill: what was acknowledged is stored.
class StopWatch {
 public:
  // seconds: for the stop, from start() to the destructor.
  explicit StopWatch(double seconds) : seconds_(seconds) {}
  ~StopWatch();
  StopWatch(const StopWatch&) = delete;
  StopWatch& operator=(const StopWatch&) = delete;

  // Called once at most.
  void start();

 private:
  void run();

  const double seconds_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool has_stopped_ = false;
  std::thread thread_;
};

}  // namespace benzer::cli
