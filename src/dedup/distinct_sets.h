// Collapses documents with equal features into one set, and numbers the sets in keep order.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "benzer/dedup.h"

#include "dedup/sketch_table.h"

namespace benzer {

using SetNumber = std::uint32_t;
inline constexpr SetNumber kNoSet = ~SetNumber{0};

// The distinct, non-empty feature sets that take part in pairs. Set 0 belongs to the first document
// in keep order.
struct DistinctSets {
  std::vector<std::uint32_t> document;  // of each set: its first document in keep order
  std::vector<SetNumber> set_of;        // of each document; kNoSet: it takes no part
  std::vector<bool> is_first;           // of each document: of its set, in keep order
  std::vector<std::uint32_t> order;     // all documents that take part, in keep order
  std::vector<bool> only_references;    // of each set: all its documents are references
  std::vector<std::uint32_t> sizes;     // of each set with containment: its features; else empty
  std::uint64_t exact_duplicates = 0;   // documents that are not the first of their set, without
                                        // references

  SetNumber size() const noexcept { return static_cast<SetNumber>(document.size()); }
};

// Returns the score with which set x may be removed because of set y, whose pair has this score; or
// nothing if it is below the threshold, since only the smaller of the two is contained in the
// other.
inline std::optional<double> removal_score(const DistinctSets& sets,
                                           const SimilarityOptions& options, SetNumber x,
                                           SetNumber y, double score) {
  if (options.measure == Measure::kJaccard) return score;
  const std::uint32_t size = sets.sizes[x];
  const double shared = std::round(score * std::min(size, sets.sizes[y]));
  if (!options.threshold.reached(static_cast<std::uint64_t>(shared), size)) return std::nullopt;
  return shared / size;
}

// The documents as all later passes see them. All parts must outlive it.
struct SketchedCorpus {
  const Corpus& corpus;  // to read documents once more
  const FeatureExtractor& extractor;
  const SketchTable& table;
  const DistinctSets& sets;
};

// Finds the distinct sets. References come first in any keep order. If others can know the key of
// the fingerprints, documents with equal ones are read again, and collapse only if they are equal
// by a secret key, too.
DistinctSets collapse(Corpus& corpus, const FeatureExtractor& extractor, const SketchTable& table,
                      const KeepOrder& keep, const SimilarityOptions& options);

}  // namespace benzer
