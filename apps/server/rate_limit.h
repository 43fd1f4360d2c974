// So many requests a second of each client, with a burst of as many.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace benzer::server {

// Threads: any number.
class RateLimit {
 public:
  explicit RateLimit(double per_second) : per_second_(per_second) {}  // 0: none

  bool is_set() const noexcept { return per_second_ > 0; }
  using Clock = std::chrono::steady_clock;
  // How many seconds to wait; 0: go on. `now` is the time of a test.
  int wait(std::string_view client, Clock::time_point now = Clock::now());

 private:
  struct Bucket {
    double tokens;
    Clock::time_point at;
  };
  void forget_the_idle(Clock::time_point now);

  double per_second_;
  std::mutex mutex_;
  std::map<std::string, Bucket, std::less<>> buckets_;
};

}  // namespace benzer::server
