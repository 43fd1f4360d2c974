// Adds up what a sample of documents and all others make: recall, with its interval, and how the
// scores lie.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "benzer/audit.h"

#include "eval/interval.h"

namespace benzer {

// A drawn document and another one that is similar to it, or not far from that.
struct ScoredMeeting {
  std::size_t drawn = 0;  // its place in the sample
  double score = 0;
  bool similar = false;  // it reaches the threshold
  bool found = false;    // and a run finds it
  bool equal = false;    // the feature sets are
  // Both were drawn, so that the pair is met twice, and this is the second time: it counts for its
  // drawn document, and not as a pair.
  bool again = false;
  double predicted = 0;  // the probability that a pair like this is found
};

class Tally {
 public:
  Tally(double threshold, std::size_t sample, AuditFigures& figures);

  // Meetings below this need not be added.
  double least_score() const noexcept;
  void add(const ScoredMeeting& met);
  // figures.taking_part must be known. is_reference(place in the sample): counted for pairs only.
  void finish(const std::function<bool(std::size_t drawn)>& is_reference);

 private:
  void add_similar(const ScoredMeeting& met);

  double threshold_;
  AuditFigures& figures_;
  std::vector<PairsOfDocument> all_, different_;  // of each drawn document, with all its partners
};

}  // namespace benzer
