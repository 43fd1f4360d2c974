// Keeps why background work of a store fails; other processes read it from the file PROBLEM in its
// folder, which is there as long as the work fails.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "benzer/store.h"

#include "store/disk/store_folder.h"

namespace benzer {

// Threads: any number.
class MaintenanceProblems {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Work : std::uint8_t { kFlush, kMerge };
  // Not shorter: each try to write a segment may fill the disk, and meanwhile the log cannot be
  // written.
  static constexpr Clock::duration kRetryPause = std::chrono::seconds(10);

  // retry_pause: the least time between a failure and the next try.
  // tell: called with each new problem, by the thread that met it; may be empty.
  // folder: must outlive this object.
  MaintenanceProblems(const StoreFolder& folder, bool read_only, Clock::duration retry_pause,
                      std::function<void(const MaintenanceProblem& problem)> tell);

  // Calls it, notes why it fails or that it succeeds, and throws what it throws. Work that was
  // given up has not failed.
  template <class Call>
  void watch(Work work, const Call& call) {
    const Clock::time_point begun = begin(work);
    try {
      call();
    } catch (...) {
      note(work, std::current_exception(), begun);
      throw;
    }
    note(work, nullptr, begun);
  }
  // Returns whether the work has failed and may be tried again by now; false while it is tried.
  bool is_due_again(Work work) const;

  std::optional<MaintenanceProblem> get() const;
  std::uint64_t failures() const noexcept { return failures_; }  // of all that was watched

 private:
  Clock::time_point begin(Work work);
  void note(Work work, const std::exception_ptr& error, Clock::time_point begun) noexcept;

  const StoreFolder& folder_;
  const Clock::duration retry_pause_;
  const std::function<void(const MaintenanceProblem& problem)> tell_;
  std::atomic<std::uint64_t> failures_ = 0;
  std::mutex noting_;  // locked before mutex_
  mutable std::mutex mutex_;
  // By Work.
  std::array<std::optional<MaintenanceProblem>, 2> problems_;
  std::array<Clock::time_point, 2> due_again_{};  // not before that
};

// These write, delete and read the file PROBLEM. It is not synced, and may be missing: on a full
// disk there may be no room for it. Nothing depends on it, so none of these functions fails.
void write_problem(const std::string& folder, const MaintenanceProblem& problem) noexcept;
void remove_problem(const std::string& folder) noexcept;
// Returns nothing if the file is missing or incomplete.
std::optional<MaintenanceProblem> read_problem(const std::string& folder) noexcept;

}  // namespace benzer
