#include "log_writer.h"

#include <array>
#include <csignal>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

namespace benzer::server {
namespace {

// A pipe, and what has come out of it.
class Pipe {
 public:
  Pipe() { EXPECT_EQ(::pipe(ends_.data()), 0); }
  ~Pipe() {
    close_reader();
    ::close(ends_[1]);
  }
  int writer() const { return ends_[1]; }
  void close_reader() {
    if (ends_[0] >= 0) ::close(ends_[0]);
    ends_[0] = -1;
  }
  // Whether a write would wait. How many bytes that takes depends on the writes: a page of the pipe
  // is used up by a few bytes if the next ones do not fit in behind them.
  bool is_full() const {
    pollfd ready{ends_[1], POLLOUT, 0};
    return ::poll(&ready, 1, 0) == 0;
  }
  // Reads until the text ends with this.
  std::string read_to(const std::string& end) {
    std::string out, piece(65'536, ' ');
    while (!out.ends_with(end)) {
      const auto size = ::read(ends_[0], piece.data(), piece.size());
      if (size <= 0) break;
      out.append(piece, 0, static_cast<std::size_t>(size));
    }
    return out;
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

TEST(LogWriter, WritesAllLinesInTheirOrder) {
  Pipe pipe;
  std::string expected;
  {
    LogWriter log(pipe.writer());
    for (int i = 0; i < 1000; ++i) {
      const std::string line = "line " + std::to_string(i) + "\n";
      expected += line;
      log.write(line);
    }
  }
  EXPECT_EQ(pipe.read_to("line 999\n"), expected);
}

TEST(LogWriter, LeavesOutWhatNobodyTakes) {
  Pipe pipe;
  const std::string line(999, 'x');
  LogWriter log(pipe.writer());
  // More than the pipe takes, which is being written when the others come.
  for (int i = 0; i < 2'000; ++i) log.write(line + "\n");
  while (!pipe.is_full()) std::this_thread::yield();
  for (int i = 0; i < 8'000; ++i) log.write(line + "\n");  // more than it holds, and it returns
  const std::string all = pipe.read_to("because nobody read it\n");
  const std::size_t at = all.rfind("benzer: ");
  ASSERT_NE(at, all.npos);
  const auto left_out = std::stoul(all.substr(at + 8));
  EXPECT_EQ(at, (10'000 - left_out) * (line.size() + 1));
  EXPECT_GT(left_out, 1000U);
  log.write("after\n");
  EXPECT_EQ(pipe.read_to("after\n"), "after\n");
}

TEST(LogWriter, EndsThoughNobodyReads) {
  std::signal(SIGPIPE, SIG_IGN);  // as the program does
  Pipe asleep, gone;
  gone.close_reader();
  for (const Pipe* pipe : {&asleep, &gone}) {
    LogWriter log(pipe->writer());
    for (int i = 0; i < 1000; ++i) log.write(std::string(999, 'x') + "\n");
  }
}

}  // namespace
}  // namespace benzer::server
