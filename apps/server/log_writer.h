// Writes the log of a server to standard error without ever holding up who logs.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace benzer::server {

// Lines that nobody takes in time are left out, and a line says how many. A thread of its own
// writes, because a pipe whose reader sleeps, or a terminal that was stopped, makes writing wait
// without end. Thread-safe.
class LogWriter {
 public:
  // file: a descriptor, which must stay open.
  explicit LogWriter(int file);
  // Gives a reader a second to take what is left.
  ~LogWriter();
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  // Takes whole lines, each with its end.
  void write(std::string_view lines);

 private:
  void run();
  // Writes all of it, or gives up when the object ends. Returns whether all was written.
  bool write_out(std::string_view lines);
  bool has_to_end() const;

  const int file_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::string waiting_;
  std::size_t being_written_ = 0;  // bytes
  std::uint64_t left_out_ = 0;     // lines
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace benzer::server
