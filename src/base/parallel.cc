#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include <sched.h>

namespace benzer {

int resolve_threads(int requested) noexcept {
  constexpr int kMost = 1024;
  if (requested > 0) return std::min(requested, kMost);
  // hardware_concurrency() counts the machine's cores; a container may own fewer.
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

int threads_within(int threads, std::uint64_t memory_limit) noexcept {
  constexpr std::uint64_t kThreadBytes = std::uint64_t{8} << 20;
  if (memory_limit == 0) return threads;
  return static_cast<int>(std::clamp<std::uint64_t>(memory_limit / kThreadBytes, 1,
                                                    static_cast<std::uint64_t>(threads)));
}

void run_workers(int threads, const std::function<void(int worker)>& body) {
  std::mutex mutex;
  std::exception_ptr error;
  const auto guarded = [&](int worker) {
    try {
      body(worker);
    } catch (...) {
      std::lock_guard lock(mutex);
      if (!error) error = std::current_exception();
    }
  };
  std::vector<std::jthread> others;
  try {
    for (int worker = 1; worker < threads; ++worker) others.emplace_back(guarded, worker);
  } catch (const std::system_error&) {
    // The system gives no more threads: those that run share the work.
  }
  guarded(0);
  others.clear();  // joins
  if (error) std::rethrow_exception(error);
}

void parallel_for(int threads, std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t begin, std::size_t end)>& body) {
  const std::size_t pieces = count == 0 ? 0 : (count - 1) / grain + 1;
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  std::mutex mutex;
  std::size_t first_failed = pieces;
  std::exception_ptr error;  // of that piece
  const int workers =
      static_cast<int>(std::min<std::size_t>(threads, std::max<std::size_t>(pieces, 1)));
  run_workers(workers, [&](int) {
    // A piece that was taken is always worked on, so that those before one that fails are.
    while (!failed) {
      const std::size_t piece = next++;
      if (piece >= pieces) return;
      const std::size_t begin = piece * grain;
      try {
        body(begin, std::min(count, begin + grain));
      } catch (...) {
        failed = true;
        const std::lock_guard lock(mutex);
        if (piece >= first_failed) return;
        first_failed = piece;
        error = std::current_exception();
      }
    }
  });
  if (error) std::rethrow_exception(error);
}

}  // namespace benzer
