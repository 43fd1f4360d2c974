// The temporary names of unfinished outputs, where a signal handler can reach them.
#pragma once

#include <string>

namespace benzer {

// Remembers one name while it lives or until forget(). Beyond kRememberedNames at a time, and for
// names that no system call would take, it does nothing: such a file outlives a process that is
// ended by force, as all did without this.
// Threads: any number, and remove_unfinished_outputs() (benzer/output.h) at any time.
inline constexpr int kRememberedNames = 16;

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
