#include "core_shares.h"

#include <algorithm>
#include <chrono>

#include "benzer/runtime.h"

#include "../shared/settings.h"

namespace benzer::server {
namespace {

constexpr auto kLookAtFlag = std::chrono::milliseconds(100);  // at the flag that stops a request

}  // namespace

CoreShares::Share::Share(CoreShares& of, const std::string& client, std::size_t most,
                         const std::atomic<bool>* stop)
    : of_(of), client_(client) {
  std::unique_lock lock(of_.mutex_);
  const auto place = of_.waiting_.insert(of_.waiting_.end(), &client_);
  try {
    of_.last_begun_.try_emplace(client_, 0);
    while (of_.free_ == 0 || of_.next() != place) {
      throw_if_stopped(stop);
      of_.changed_.wait_for(lock, kLookAtFlag);
    }
  } catch (...) {
    of_.waiting_.erase(place);
    of_.leave();
    throw;
  }
  cores_ = std::min(most, std::max<std::size_t>(1, of_.free_ / of_.waiting_.size()));
  of_.free_ -= cores_;
  of_.waiting_.erase(place);
  of_.last_begun_[client_] = ++of_.begun_;
  of_.changed_.notify_all();  // another one may be the next
}

CoreShares::Share::~Share() {
  const std::lock_guard lock(of_.mutex_);
  of_.free_ += cores_;
  of_.leave();
}

std::size_t CoreShares::own_cores() noexcept {
  return static_cast<std::size_t>(apps::thread_count(apps::Options()));
}

std::size_t CoreShares::waiting() const {
  const std::lock_guard lock(mutex_);
  return waiting_.size();
}

CoreShares::Waiting::iterator CoreShares::next() {
  return std::min_element(waiting_.begin(), waiting_.end(),
                          [this](const std::string* a, const std::string* b) {
                            return last_begun_.at(*a) < last_begun_.at(*b);
                          });
}

void CoreShares::leave() {
  if (waiting_.empty()) last_begun_.clear();
  changed_.notify_all();
}

}  // namespace benzer::server
