// What a store that works in the background says when that fails.
#pragma once

#include <cstdint>
#include <string>

namespace benzer {

// The last failure of writing what is in memory to a segment, or of merging segments. Nothing is
// lost by it, and each write tries again; but where it goes on, memory, the log or the number of
// segments grow, until writers are refused.
struct MaintenanceProblem {
  // Seconds since 1970, UTC. While the same goes on, the first time, and its sentence: two that
  // differ in numbers only, as those of files do, are the same.
  std::int64_t at = 0;
  std::string sentence;  // of the error: the file, and what is wrong with it
  friend bool operator==(const MaintenanceProblem&, const MaintenanceProblem&) = default;
};

}  // namespace benzer
