// Collects which originals of an index were compared, for a report.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "benzer/index.h"

#include "engine/contents.h"
#include "store/store.h"
#include "verify/nearest_pairs.h"

namespace benzer {

// Memory: 64 kB, whatever the number of pairs.
class ComparisonList {
 public:
  explicit ComparisonList(const Schema& completed);

  // Adds two different originals that are similar.
  void add_similar(DocumentNumber a, DocumentNumber b, double score);
  // Adds pairs of an original and its copies.
  void add_equal(std::uint64_t pairs, double score);
  // Adds two originals that are not similar.
  void add_below(DocumentNumber a, DocumentNumber b, double score);

  // Reads the ids of the nearest pairs. Call it once. Of an original that has expired the id is
  // that of its first copy.
  ComparedPairs finish(StoreReader& reader, const Contents& contents);

 private:
  double found_probability(double score) const;

  const Schema& schema_;
  bool has_curve_;  // whether the bands give the probability that a pair is found by its score
  ScoreCounts scores_;
  NearestPairs above_{NearestPairs::Side::kAbove}, below_{NearestPairs::Side::kBelow};
};

}  // namespace benzer
