#include "progress.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>
#include <unistd.h>

namespace benzer::cli {
namespace {

using std::chrono::duration;

constexpr double kRedrawSeconds = 0.1;
constexpr double kLineSeconds = 1.0;
constexpr double kEstimateSeconds = 1.0;  // a rate over a shorter time is too inaccurate

void put(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace

std::string readable_seconds(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

ProgressLine::Mode ProgressLine::choose_mode(const std::string& when, bool quiet) {
  if (quiet || when == "never") return Mode::kOff;
  const char* terminal = std::getenv("TERM");
  const bool dumb = terminal != nullptr && std::string_view(terminal) == "dumb";
  if (isatty(STDERR_FILENO) != 0 && !dumb) return Mode::kRedraw;
  return when == "always" ? Mode::kLines : Mode::kOff;
}

void ProgressLine::update(const Progress& progress) {
  if (mode_ == Mode::kOff) return;
  std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  if (progress.stage != stage_) {
    stage_ = progress.stage;
    stage_start_ = now;
  }
  const double pause = mode_ == Mode::kRedraw ? kRedrawSeconds : kLineSeconds;
  if (duration<double>(now - last_drawn_).count() < pause) return;
  last_drawn_ = now;

  const double elapsed = duration<double>(now - stage_start_).count();
  std::string line = fmt::format("{}: {}", stage_, with_separators(progress.done));
  if (progress.total > 0) line += fmt::format(" of {}", with_separators(progress.total));
  if (elapsed >= kEstimateSeconds && progress.done > 0) {
    const double rate = static_cast<double>(progress.done) / elapsed;
    line += fmt::format(", {}/s", with_separators(static_cast<std::uint64_t>(rate)));
    if (progress.total > progress.done) {
      const double left = static_cast<double>(progress.total - progress.done) / rate;
      line += fmt::format(", {} left", readable_seconds(left));
    } else if (progress.total == 0) {
      line += fmt::format(", {} so far", readable_seconds(elapsed));
    }
  }
  // CSI K clears the rest of an earlier, longer line.
  put(mode_ == Mode::kRedraw ? "\r" + line + "\x1b[K" : "benzer: " + line + "\n");
  visible_ = mode_ == Mode::kRedraw;
}

void ProgressLine::erase() {
  std::lock_guard lock(mutex_);
  if (visible_) put("\r\x1b[K");
  visible_ = false;
}

}  // namespace benzer::cli
