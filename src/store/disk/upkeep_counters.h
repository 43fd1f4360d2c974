// Counts what a store does in the background, and how long writers wait for it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "benzer/store.h"

namespace benzer {

// Threads: any number.
class UpkeepCounters {
 public:
  // Counts a merge of segments with `bytes` bytes as running, as long as this object lives.
  class Merge {
   public:
    Merge(UpkeepCounters& counters, std::uint64_t bytes) noexcept
        : counters_(counters), bytes_(bytes) {
      ++counters_.merges_running_;
      counters_.merging_bytes_ += bytes_;
    }
    ~Merge() {
      --counters_.merges_running_;
      counters_.merging_bytes_ -= bytes_;
    }
    Merge(const Merge&) = delete;
    Merge& operator=(const Merge&) = delete;
    void succeeded() noexcept { ++counters_.merges_; }

   private:
    UpkeepCounters& counters_;
    const std::uint64_t bytes_;
  };

  void count_flush() noexcept { ++flushes_; }

  // Calls what a writer waits for, and counts it as a stall, also if it throws.
  template <class Call>
  void stall(const Call& wait) {
    const Stall stalled(*this);
    wait();
  }

  // failures: counted elsewhere (MaintenanceProblems).
  UpkeepStats get(std::uint64_t failures) const noexcept {
    UpkeepStats out;
    out.flushes = flushes_;
    out.merges = merges_;
    out.failures = failures;
    out.merges_running = merges_running_;
    out.merging_bytes = merging_bytes_;
    out.stalls = stalls_;
    out.stalled_writers = stalled_writers_;
    out.stall_seconds = static_cast<double>(stall_microseconds_) / 1e6;
    out.longest_stall_seconds = static_cast<double>(longest_stall_microseconds_) / 1e6;
    return out;
  }

 private:
  using Clock = std::chrono::steady_clock;

  class Stall {
   public:
    explicit Stall(UpkeepCounters& counters) noexcept : counters_(counters) {
      ++counters_.stalled_writers_;
    }
    ~Stall() { counters_.end_stall(Clock::now() - began_); }
    Stall(const Stall&) = delete;
    Stall& operator=(const Stall&) = delete;

   private:
    UpkeepCounters& counters_;
    const Clock::time_point began_ = Clock::now();
  };

  void end_stall(Clock::duration time) noexcept {
    const auto microseconds = static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(time).count());
    stall_microseconds_ += microseconds;
    std::uint64_t longest = longest_stall_microseconds_;
    while (longest < microseconds &&
           !longest_stall_microseconds_.compare_exchange_weak(longest, microseconds)) {
    }
    ++stalls_;
    --stalled_writers_;
  }

  std::atomic<std::uint64_t> flushes_ = 0, merges_ = 0;
  std::atomic<std::uint64_t> merges_running_ = 0, merging_bytes_ = 0;
  std::atomic<std::uint64_t> stalls_ = 0, stalled_writers_ = 0;
  std::atomic<std::uint64_t> stall_microseconds_ = 0, longest_stall_microseconds_ = 0;
};

}  // namespace benzer
