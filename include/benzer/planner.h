// Chooses bands and rows for a recall at the threshold, and says what other rules would find.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "benzer/banding.h"

namespace benzer {

struct PlanRequest {
  double threshold = 0.8;  // in (0, 1]
  double recall = 0.99;    // in (0, 1): wanted for pairs exactly at the threshold
  int slots = 128;         // of the signature
};

struct Plan {
  Banding banding;
  double recall_at_threshold = 0;
};

// The rule used everywhere: the largest number of rows for which the smallest sufficient number of
// bands fits into the slots. More rows mean fewer strangers among the candidates; recall comes
// first. At 0.8, 0.99 and 128 slots: 16 x 6, recall 0.992.
// Throws Error(kInvalidArgument) for values out of range, or if even one row needs more bands than
// there are slots; the sentence says how many slots would do.
Plan plan(const PlanRequest& request);

// For each number of rows, the smallest sufficient number of bands, whether it fits or not.
struct Alternative {
  std::string name;  // "6 rows", or the rule it comes from: "datasketch", "pickBands", "datatrove"
  Banding banding;
  double recall_at_threshold = 0;
  bool fits = true;
};
std::vector<Alternative> alternatives(const PlanRequest& request);

// What the common rules of other tools choose for the same threshold and slots: datasketch's
// integral optimum with equal weights, pickBands of the 2014 Scala blog, datatrove's 14 x 8.
std::vector<Alternative> rules_of_others(const PlanRequest& request);

}  // namespace benzer
