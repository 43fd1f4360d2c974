// Random times, so that callers that have met do not meet again.
#pragma once

#include <chrono>
#include <random>
#include <thread>

#include "base/random_seed.h"

namespace benzer {

template <class Time>
Time random_time(Time shortest, Time longest) {
  static thread_local std::minstd_rand chance{
      static_cast<std::minstd_rand::result_type>(random_seed())};
  return Time(
      std::uniform_int_distribution<typename Time::rep>(shortest.count(), longest.count())(chance));
}

inline void pause_at_random(std::chrono::steady_clock::duration longest) {
  std::this_thread::sleep_for(random_time({}, longest));
}

}  // namespace benzer
