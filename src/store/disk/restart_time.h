// Estimates how long the next opening of a store will take, from what this one took.
#pragma once

#include <chrono>
#include <cstdint>

namespace benzer {

// Each of the three steps of an opening calls it when done; an opening may begin again.
class RestartTime {
 public:
  void begin() noexcept { step_began_ = Clock::now(); }
  void opened_segments() noexcept { segment_seconds_ = end_step(); }
  void read_log(std::uint64_t bytes) noexcept {
    const double seconds = end_step();
    if (bytes >= kLeastMeasured && seconds > 0)
      bytes_per_second_ = static_cast<double>(bytes) / seconds;
  }

  // The estimate for a log of this size.
  double seconds(std::uint64_t log_bytes) const noexcept {
    return segment_seconds_ + static_cast<double>(log_bytes) / bytes_per_second_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  // Reading a shorter log takes a few hundredths of a second, most of which may be something else.
  static constexpr std::uint64_t kLeastMeasured = std::uint64_t{8} << 20;
  // Bytes per second if nothing was measured, as in docs/operating.md ("Restarting").
  static constexpr double kUsualRate = 200e6;

  double end_step() noexcept {
    const Clock::time_point now = Clock::now();
    const double seconds = std::chrono::duration<double>(now - step_began_).count();
    step_began_ = now;
    return seconds;
  }

  Clock::time_point step_began_;
  double segment_seconds_ = 0;
  double bytes_per_second_ = kUsualRate;
};

}  // namespace benzer
