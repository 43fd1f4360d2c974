#include "log_writer.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

namespace benzer::server {
namespace {

constexpr std::size_t kMostBytes = std::size_t{4} << 20;
// A pipe that can be written to has room for this many bytes (PIPE_BUF), so that the write does not
// wait.
constexpr std::size_t kPiece = 4096;
constexpr int kPatience = 100;  // milliseconds between two looks at whether the object ends
constexpr auto kLastChance = std::chrono::seconds(1);

}  // namespace

LogWriter::LogWriter(int file) : file_(file), thread_([this] { run(); }) {}

LogWriter::~LogWriter() {
  {
    std::unique_lock lock(mutex_);
    changed_.notify_all();
    changed_.wait_for(lock, kLastChance, [&] { return waiting_.empty() && being_written_ == 0; });
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void LogWriter::write(std::string_view lines) {
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() + being_written_ + lines.size() > kMostBytes) {
      left_out_ += static_cast<std::uint64_t>(std::count(lines.begin(), lines.end(), '\n'));
      return;
    }
    waiting_ += lines;
  }
  changed_.notify_all();
}

bool LogWriter::has_to_end() const {
  const std::lock_guard lock(mutex_);
  return ends_;
}

bool LogWriter::write_out(std::string_view lines) {
  while (!lines.empty()) {
    pollfd ready{file_, POLLOUT, 0};
    const int count = ::poll(&ready, 1, kPatience);
    if (count <= 0) {
      if (has_to_end()) return false;
      continue;
    }
    const ssize_t written = ::write(file_, lines.data(), std::min(lines.size(), kPiece));
    if (written < 0 && errno != EINTR && errno != EAGAIN) return true;  // nobody can be told
    if (written > 0) lines.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

void LogWriter::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return ends_ || !waiting_.empty() || left_out_ > 0; });
    if (ends_ && waiting_.empty() && left_out_ == 0) return;
    std::string lines = std::exchange(waiting_, {});
    being_written_ = lines.size();
    if (const std::uint64_t count = std::exchange(left_out_, 0); count > 0)
      lines +=
          fmt::format("benzer: {} lines of the log were left out, because nobody read it\n", count);
    lock.unlock();
    const bool is_done = write_out(lines);
    lock.lock();
    being_written_ = 0;
    if (!is_done) return;
    changed_.notify_all();
  }
}

}  // namespace benzer::server
