#include "memory_budget.h"

namespace benzer::server {

MemoryBudget::Share::Share(MemoryBudget& budget, const std::string& client)
    : budget_(budget), client_(client) {
  const std::lock_guard lock(budget_.mutex_);
  connections_ = ++budget_.clients_[client_].connections;
}

MemoryBudget::Share::~Share() {
  release();
  const std::lock_guard lock(budget_.mutex_);
  const auto client = budget_.clients_.find(client_);
  if (--client->second.connections == 0) budget_.clients_.erase(client);
}

bool MemoryBudget::Share::hold(std::uint64_t bytes) {
  const std::lock_guard lock(budget_.mutex_);
  Client& client = budget_.clients_[client_];
  if (bytes > budget_.most_ - budget_.held_ || bytes > budget_.most_ / 2 - client.bytes)
    return false;
  budget_.held_ += bytes;
  client.bytes += bytes;
  held_ += bytes;
  return true;
}

void MemoryBudget::Share::shrink(std::uint64_t bytes) {
  if (held_ <= bytes) return;
  const std::lock_guard lock(budget_.mutex_);
  budget_.held_ -= held_ - bytes;
  budget_.clients_[client_].bytes -= held_ - bytes;
  held_ = bytes;
}

std::uint64_t MemoryBudget::held() const {
  const std::lock_guard lock(mutex_);
  return held_;
}

}  // namespace benzer::server
