// Shows the progress of a run in one line on standard error: rate, share done, time left.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "benzer/dedup.h"
#include "benzer/internal/text.h"

namespace benzer::cli {

// Thread-safe. On a terminal the line is redrawn in place, at most ten times a second; elsewhere a
// line is printed once a second.
class ProgressLine {
 public:
  enum class Mode { kOff, kRedraw, kLines };

  // `when` is auto, always or never; auto draws on a terminal only.
  static Mode choose_mode(const std::string& when, bool quiet);

  explicit ProgressLine(Mode mode) : mode_(mode) {}
  ~ProgressLine() { erase(); }

  void update(const Progress& progress);

  // Removes the line, before other text is printed and at the end. The next update draws it again.
  void erase();

 private:
  using Clock = std::chrono::steady_clock;

  std::mutex mutex_;
  const Mode mode_;
  std::string stage_;
  Clock::time_point stage_start_;
  Clock::time_point last_drawn_;
  bool visible_ = false;
};

// "12 s", "3 min 20 s", "1 h 05 min"
std::string readable_seconds(double seconds);

}  // namespace benzer::cli
