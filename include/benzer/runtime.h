// Controls how a call runs: its number of threads, whom it tells its progress, what stops it, and
// which CPU kernels it uses. None of it changes a result. Also says which version this is.
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

// How far a call is.
struct Progress {
  // What the call is doing: "count", "read", "candidates", "verify", "choose", "compare", "train"
  // or "report". Later versions may add stages. Valid during the callback.
  std::string_view stage;
  // What is done of this stage: documents, bands for "candidates", or pairs for "verify".
  std::uint64_t done = 0;
  // How many there are in this stage, in the same unit; 0 if that is not known yet.
  std::uint64_t total = 0;
};

// Options that every long call has.
struct RunControl {
  // Threads that the call uses, at most 1,024; 0 means one for each core.
  int threads = 0;
  // Called again and again while the call runs, from one thread at a time. An exception that it
  // throws ends the call and reaches the caller. May be empty.
  std::function<void(const Progress&)> progress = {};
  // When the flag turns true, the call ends with Error(kInterrupted) within a second. May be null;
  // the flag must outlive the call.
  const std::atomic<bool>* stop = nullptr;
};

// Throws Error(kInterrupted) if the flag is not null and true. This is the one place where the
// library and the programs turn a stop flag, which another thread or a signal handler has set, into
// an error. Cost: one relaxed load, so it may be called for every kilobyte of work.
inline void throw_if_stopped(const std::atomic<bool>* stop) {
  if (stop != nullptr && stop->load(std::memory_order_relaxed))
    throw Error(ErrorCode::kInterrupted, "interrupted");
}

// The CPU level that the hot loops are compiled for. All levels compute identical bytes; only the
// speed differs.
enum class CpuLevel {
  // What the compiler assumes of every processor of the architecture.
  kBaseline,
  // x86-64 with AVX2, BMI1, BMI2, POPCNT and LZCNT.
  kAvx2,
  // The same with AVX-512 F, BW, DQ and VL.
  kAvx512
};

// Returns "baseline", "avx2" or "avx512".
std::string_view cpu_level_name(CpuLevel level) noexcept;
// Returns the level with this name, or nothing if no level has it.
std::optional<CpuLevel> cpu_level_by_name(std::string_view name) noexcept;

// Returns the levels that this machine can run, slowest first. The list always has kBaseline.
std::vector<CpuLevel> available_cpu_levels();

// Returns the level in use: the best one that this machine can run, unless force_cpu_level() or the
// environment variable BENZER_CPU chose another. Extractors and minhashers read the level when they
// are constructed, and keep it.
CpuLevel active_cpu_level() noexcept;

// Forces a level, for tests and measurements. Throws Error(kInvalidArgument) if this machine cannot
// run it. Must not be called while another thread constructs extractors or minhashers.
void force_cpu_level(CpuLevel level);

// Returns the version of Benzer, such as "0.1.0".
std::string_view version() noexcept;

// A library that Benzer uses.
struct Part {
  // The name of the library, such as "ICU".
  std::string name;
  // The version that is loaded, if the library can tell it, else the version of its headers.
  std::string version;
};
// Returns the libraries that this build uses. A component that it was built without is in the list
// with the version "none".
std::vector<Part> parts();

}  // namespace benzer
