// What every experiment does beside its own: stop when asked, share trials among threads, take
// times.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <vector>

#include "benzer/error.h"
#include "benzer/experiments.h"

#include "base/parallel.h"

namespace benzer::experiments {

inline void check_stop(const ExperimentOptions& options) {
  if (options.stop != nullptr && options.stop->load(std::memory_order_relaxed))
    throw Error(ErrorCode::kInterrupted, "interrupted");
}

// body(trial) for each of them, on as many threads as the options say. What a trial finds must not
// depend on the others.
inline void for_trials(const ExperimentOptions& options, std::size_t trials,
                       const std::function<void(std::size_t trial)>& body) {
  parallel_for(resolve_threads(options.threads), trials, 1, [&](std::size_t from, std::size_t to) {
    for (std::size_t trial = from; trial < to; ++trial) {
      check_stop(options);
      body(trial);
    }
  });
}

template <class Work>
double seconds_of(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The median of several runs.
template <class Work>
double median_seconds(int runs, Work&& work) {
  std::vector<double> times;
  for (int run = 0; run < runs; ++run) times.push_back(seconds_of(work));
  std::nth_element(times.begin(), times.begin() + runs / 2, times.end());
  return times[static_cast<std::size_t>(runs / 2)];
}

}  // namespace benzer::experiments
