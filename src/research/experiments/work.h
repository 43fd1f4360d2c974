// Provides what all experiments need: stopping on request, sharing trials among threads, measuring
// times.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "benzer/error.h"
#include "benzer/research/experiments.h"
#include "benzer/runtime.h"

#include "base/parallel.h"

namespace benzer::experiments {

// Calls body(trial) for each trial, on as many threads as the options say. The result of a trial
// must not depend on other trials.
inline void for_trials(const ExperimentOptions& options, std::size_t trials,
                       const std::function<void(std::size_t trial)>& body) {
  parallel_for(resolve_threads(options.threads), trials, 1, [&](std::size_t from, std::size_t to) {
    for (std::size_t trial = from; trial < to; ++trial) {
      throw_if_stopped(options.stop);
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

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

template <class Work>
double median_seconds(int runs, Work&& work) {
  std::vector<double> times;
  for (int run = 0; run < runs; ++run) times.push_back(seconds_of(work));
  return median(std::move(times));
}

}  // namespace benzer::experiments
