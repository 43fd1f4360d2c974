// Limits each client to a number of requests a second, with a burst of the same number.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace benzer::server {

// Thread-safe.
class RateLimit {
 public:
  explicit RateLimit(double per_second) : per_second_(per_second) {}  // 0: no limit

  bool is_set() const noexcept { return per_second_ > 0; }
  using Clock = std::chrono::steady_clock;
  // Counts a request. Returns how many seconds the client has to wait, 0 if the request is allowed.
  // Only tests pass `now`.
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
