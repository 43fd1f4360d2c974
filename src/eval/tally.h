// Adds up the pairs of a sample of documents with all others: recall with its interval, and the
// distribution of scores.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "benzer/audit.h"

#include "eval/interval.h"

namespace benzer {

// A drawn document and another one, with a score above the threshold or not far below it; or
// several others of which all this is true.
struct ScoredMeeting {
  std::size_t drawn = 0;  // its place in the sample
  double score = 0;
  bool similar = false;  // the pair reaches the threshold
  bool found = false;    // a run finds the pair
  bool equal = false;    // the feature sets are equal
  // Whether the pair is met for the second time, since both documents were drawn. It counts for its
  // drawn document then, and not as another pair.
  bool again = false;
  double predicted = 0;  // the probability that a pair like this is found
  std::uint64_t pairs = 1;
  // For AuditFigures::queries: whether a query for the drawn document finds the other one, and the
  // probability of that.
  bool query_finds = false;
  double query_predicted = 0;
};

class Tally {
 public:
  // Counts AuditFigures::queries if they are present.
  Tally(double threshold, std::size_t sample, AuditFigures& figures);

  // Meetings with lower scores must not be added.
  static double least_score(double threshold) noexcept;
  void add(const ScoredMeeting& met);
  // Completes the figures, whose taking_part must be set. Drawn documents for which
  // is_reference(place in the sample) is true count for pairs only.
  void finish(const std::function<bool(std::size_t drawn)>& is_reference);

 private:
  void add_similar(const ScoredMeeting& met);

  AuditFigures& figures_;
  std::vector<PairsOfDocument> all_, different_, queries_;  // the pairs of each drawn document
};

}  // namespace benzer
