// Keeps what the second pass has confirmed so far, in the work folder of a run that keeps its
// stages: the results of pairs in the order of the work.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/stage_log.h"
#include "dedup/verify_pass.h"

namespace benzer {

class VerifyLog {
 public:
  // folder: the work folder; if it is empty, nothing is kept.
  explicit VerifyLog(const std::string& folder);

  using Visit = std::function<void(const std::vector<ScoredPair>& similar,
                                   const std::vector<ScoredPair>& below)>;
  struct Work {
    std::uint64_t hash;   // equal for the same work
    std::uint64_t pairs;  // all of them
    SetNumber sets;
  };
  // Hands the results that an earlier run has left of the same work to visit(). Returns how many
  // pairs of the work they cover: the first ones.
  std::uint64_t replay(const Work& work, const Visit& visit);

  // Adds the results of the next `pairs` pairs of the work.
  void add(std::uint64_t pairs, const std::vector<ScoredPair>& similar,
           const std::vector<ScoredPair>& below);
  // Writes what was added and is not yet written.
  void flush();

  // Removes the log from a work folder.
  static void remove(const std::string& folder) noexcept;

 private:
  StageLog log_;
  std::uint64_t pairs_ = 0;  // not written yet
  std::vector<ScoredPair> similar_, below_;
};

}  // namespace benzer
