// Gives each reader a fixed version while others write: each commit makes a new version, and a
// reader keeps the one that was the latest when it began (multi-version concurrency control:
// Bernstein and Goodman, ACM Computing Surveys 13, 1981, section 5).
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

namespace benzer {

using Version = std::uint64_t;  // later versions are larger

// State has a member `at`, its Version. It is copied for each reader, so it should only refer to
// large data. Threads: any number, one of which publishes at a time.
template <class State>
class Versions {
 public:
  explicit Versions(State first) : latest_(std::move(first)) {}

  // A reader holds one: as long as it lives, nothing that its version has is given back.
  class Pin {
   public:
    explicit Pin(Versions& versions) : versions_(versions), state_(versions.begin()) {}
    ~Pin() { versions_.end(state_.at); }
    Pin(const Pin&) = delete;
    Pin& operator=(const Pin&) = delete;
    const State& state() const noexcept { return state_; }

   private:
    Versions& versions_;
    const State state_;
  };

  State latest() const {
    const std::lock_guard lock(mutex_);
    return latest_;
  }
  // `at` must not be smaller than before.
  void publish(State next) noexcept {
    const std::lock_guard lock(mutex_);
    std::swap(latest_, next);
  }
  // The versions older than the latest that readers still hold, ascending.
  std::vector<Version> earlier() const {
    const std::lock_guard lock(mutex_);
    std::vector<Version> out;
    for (const Readers& one : readers_)
      if (one.at < latest_.at) out.push_back(one.at);
    return out;
  }

 private:
  struct Readers {
    Version at;
    std::uint64_t count;
  };

  State begin() {
    const std::lock_guard lock(mutex_);
    if (readers_.empty() || readers_.back().at != latest_.at) readers_.push_back({latest_.at, 0});
    ++readers_.back().count;
    return latest_;
  }
  void end(Version at) noexcept {
    const std::lock_guard lock(mutex_);
    const auto of = std::lower_bound(readers_.begin(), readers_.end(), at,
                                     [](const Readers& a, Version b) { return a.at < b; });
    if (--of->count == 0) readers_.erase(of);
  }

  mutable std::mutex mutex_;
  State latest_;
  std::vector<Readers> readers_;  // ascending
};

}  // namespace benzer
