// What the second pass has confirmed so far, in the work folder of a run that keeps its stages: a
// log (base/record_log.h) of what it is about, and then of pairs in the order of the work.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/record_log.h"
#include "dedup/verify_pass.h"

namespace benzer {

class VerifyLog {
 public:
  // folder: empty: nothing is kept.
  explicit VerifyLog(std::string folder) : folder_(std::move(folder)) {}

  using Visit = std::function<void(const std::vector<ScoredPair>& similar,
                                   const std::vector<ScoredPair>& below)>;
  struct Work {
    std::uint64_t hash;   // equal for the same work
    std::uint64_t pairs;  // all of them
    SetNumber sets;
  };
  // Hands over what an earlier run has left of the same work. Returns how many pairs of the work
  // that covers.
  std::uint64_t replay(const Work& work, const Visit& visit);

  // So many more pairs are done, and this came out of them.
  void add(std::uint64_t pairs, const std::vector<ScoredPair>& similar,
           const std::vector<ScoredPair>& below);
  void flush();

  static void remove(const std::string& folder) noexcept;

 private:
  std::string folder_;
  RecordLogWriter writer_;
  std::uint64_t pairs_ = 0;  // not written yet
  std::vector<ScoredPair> similar_, below_;
};

}  // namespace benzer
