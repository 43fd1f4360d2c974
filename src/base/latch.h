// A lock for many readers or one writer that is held only for moments: a thread that waits for it
// spins for a few microseconds before it sleeps.
#pragma once

#include <atomic>
#include <cstdint>

namespace benzer {

// For std::shared_lock and std::unique_lock. Writers must exclude each other by another lock. A
// writer that waits takes precedence over readers that come later. No thread may lock it twice.
class Latch {
 public:
  void lock() noexcept {
    std::uint32_t state = state_.fetch_or(kWriter, std::memory_order_acquire) | kWriter;
    for (int turns = 0; state != kWriter; state = state_.load(std::memory_order_acquire))
      wait(state, turns);
  }
  void unlock() noexcept {
    // Must be in one total order with the check for waiting threads in notify_all(); otherwise one
    // of them might never be woken.
    state_.exchange(0, std::memory_order_seq_cst);
    state_.notify_all();
  }
  void lock_shared() noexcept {
    std::uint32_t state = state_.load(std::memory_order_relaxed);
    for (int turns = 0;;) {
      if ((state & kWriter) != 0) {
        wait(state, turns);
        state = state_.load(std::memory_order_relaxed);
      } else if (state_.compare_exchange_weak(state, state + 1, std::memory_order_acquire,
                                              std::memory_order_relaxed)) {
        return;
      }
    }
  }
  void unlock_shared() noexcept {
    if (state_.fetch_sub(1, std::memory_order_release) == (kWriter | 1)) state_.notify_all();
  }

 private:
  static constexpr std::uint32_t kWriter = std::uint32_t{1} << 31;  // one has it or waits for it

  void wait(std::uint32_t state, int& turns) noexcept {
    constexpr int kTurns = 200;  // some microseconds, as long as inserting a document takes
    if (++turns >= kTurns) return state_.wait(state, std::memory_order_relaxed);
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }

  std::atomic<std::uint32_t> state_ = 0;  // number of readers, and kWriter
};

}  // namespace benzer
