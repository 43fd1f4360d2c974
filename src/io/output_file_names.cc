#include "io/output_file_names.h"

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>

#include <unistd.h>

#include "benzer/output.h"

namespace benzer {
namespace {

enum : int { kFree, kFilling, kSet, kUnlinking };

struct Slot {
  std::atomic<int> state{kFree};
  char path[PATH_MAX];
};
static_assert(std::atomic<int>::is_always_lock_free);  // required in a signal handler

Slot slots[kRememberedNames];

}  // namespace

void RememberedName::remember(const std::string& path) noexcept {
  forget();
  if (path.size() >= sizeof slots[0].path) return;
  for (int i = 0; i < kRememberedNames; ++i) {
    int expected = kFree;
    if (!slots[i].state.compare_exchange_strong(expected, kFilling)) continue;
    std::memcpy(slots[i].path, path.c_str(), path.size() + 1);
    slots[i].state.store(kSet);
    slot_ = i;
    return;
  }
}

void RememberedName::forget() noexcept {
  if (slot_ < 0) return;
  // A handler on another thread may be using the name for one system call, so this waits for it. A
  // handler on this thread has returned before this goes on.
  int expected = kSet;
  while (!slots[slot_].state.compare_exchange_weak(expected, kFree)) expected = kSet;
  slot_ = -1;
}

void remove_unfinished_outputs() noexcept {
  const int error = errno;
  for (Slot& slot : slots) {
    int expected = kSet;
    if (!slot.state.compare_exchange_strong(expected, kUnlinking)) continue;
    ::unlink(slot.path);
    slot.state.store(kSet);  // its owner will free it
  }
  errno = error;
}

}  // namespace benzer
