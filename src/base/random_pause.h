// Pauses for a random time, so that callers that have met do not meet again.
#pragma once

#include <chrono>
#include <random>
#include <thread>

#include "base/random_seed.h"

namespace benzer {

inline void pause_at_random(std::chrono::steady_clock::duration longest) {
  static thread_local std::minstd_rand chance{
      static_cast<std::minstd_rand::result_type>(random_seed())};
  std::uniform_int_distribution<std::chrono::steady_clock::rep> times(0, longest.count());
  std::this_thread::sleep_for(std::chrono::steady_clock::duration(times(chance)));
}

}  // namespace benzer
