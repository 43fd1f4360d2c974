// How a call runs: on how many threads, whom it tells how far it is, what stops it, and by which
// kernels. None of it changes a result. And which version this is.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "benzer/error.h"

namespace benzer {

struct Progress {
  std::string_view stage;   // "count", "read", "candidates", "verify", "choose", "report", ...
  std::uint64_t done = 0;   // documents of this stage
  std::uint64_t total = 0;  // 0: not known
};

struct RunControl {
  int threads = 0;  // 0: as many as there are cores
  // Called from one thread at a time; what it throws ends the call. May be empty.
  std::function<void(const Progress&)> progress = {};
  // When it turns true, the call ends with Error(kInterrupted) within a second. May be null.
  const std::atomic<bool>* stop = nullptr;
};

// How all work is stopped: by a flag that another thread or a signal handler raises, which the
// library and the programs turn into an error here and nowhere else. Throws Error(kInterrupted) if
// the flag is there and true. Cost: a load; ask as often as every kilobyte.
inline void throw_if_stopped(const std::atomic<bool>* stop) {
  if (stop != nullptr && stop->load(std::memory_order_relaxed))
    throw Error(ErrorCode::kInterrupted, "interrupted");
}

// The CPU level for which the hot loops run. All levels give identical bytes; only speed differs.
enum class CpuLevel { kBaseline, kAvx2, kAvx512 };

// "baseline", "avx2", "avx512"
std::string_view cpu_level_name(CpuLevel level) noexcept;
std::optional<CpuLevel> cpu_level_by_name(std::string_view name) noexcept;

// The levels that this machine can run, slowest first; never empty.
std::vector<CpuLevel> available_cpu_levels();

// The level in use: the best available one unless it was forced. Extractors and minhashers read it
// when they are constructed.
CpuLevel active_cpu_level() noexcept;

// Forces a level, for tests and measurements. Throws Error(kInvalidArgument) if this machine cannot
// run it. Not to be called while extractors or minhashers are being constructed.
void force_cpu_level(CpuLevel level);

// Which Benzer this is, and which libraries it was built with.

// "0.1.0"
std::string_view version() noexcept;

// A library that Benzer uses and its version: what is loaded where the library can tell, else what
// it was compiled with.
struct Part {
  std::string name;
  std::string version;
};
std::vector<Part> parts();

}  // namespace benzer
