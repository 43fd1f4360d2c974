#include "rate_limit.h"

#include <algorithm>
#include <cmath>

namespace benzer::server {
namespace {

constexpr std::size_t kMostClients = 10'000;

}  // namespace

void RateLimit::forget_the_idle(Clock::time_point now) {
  std::erase_if(buckets_,
                [&](const auto& one) { return now - one.second.at > std::chrono::seconds(60); });
  if (buckets_.size() > kMostClients) buckets_.clear();
}

int RateLimit::wait(std::string_view client, Clock::time_point now) {
  const double most = std::max(1.0, per_second_);
  const std::lock_guard lock(mutex_);
  if (buckets_.size() > kMostClients) forget_the_idle(now);
  auto at = buckets_.find(client);
  if (at == buckets_.end()) at = buckets_.emplace(std::string(client), Bucket{most, now}).first;
  Bucket& bucket = at->second;
  bucket.tokens = std::min(
      most, bucket.tokens + per_second_ * std::chrono::duration<double>(now - bucket.at).count());
  bucket.at = now;
  if (bucket.tokens >= 1) {
    bucket.tokens -= 1;
    return 0;
  }
  return std::max(1, static_cast<int>(std::ceil((1 - bucket.tokens) / per_second_)));
}

}  // namespace benzer::server
