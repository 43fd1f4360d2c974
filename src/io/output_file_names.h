// Keeps the temporary names of unfinished outputs where a signal handler can reach them.
#pragma once

#include <string>

namespace benzer {

// Remembers one name until forget() or its destructor. Does nothing if kRememberedNames names are
// already remembered, or for a name that is too long for a system call. The file with such a name
// remains if a signal ends the process.
// Threads: any number, and remove_unfinished_outputs() (benzer/output.h) at any time.
// A folder of tables has one unfinished file for each input.
inline constexpr int kRememberedNames = 1024;

class RememberedName {
 public:
  RememberedName() = default;
  ~RememberedName() { forget(); }
  RememberedName(const RememberedName&) = delete;
  RememberedName& operator=(const RememberedName&) = delete;

  void remember(const std::string& path) noexcept;
  void forget() noexcept;

 private:
  int slot_ = -1;
};

}  // namespace benzer
