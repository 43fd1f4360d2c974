// Which clusters and pairs people are shown: the same for the same result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "benzer/dedup.h"

namespace benzer::report {

inline constexpr std::size_t kShownClusters = 20;  // of each kind
inline constexpr std::size_t kShownPairs = 10;     // on each side of the threshold

struct ClusterSummary {
  std::uint32_t keeper = 0;
  std::vector<std::uint32_t> members;  // what is shown of them, places in DedupResult::removed
  std::uint64_t removed = 0;
  std::uint64_t equal = 0;
  double lowest_score = 1;
};

// All clusters, by keeper. Of their members the least, the middle and the most similar one.
std::vector<ClusterSummary> find_clusters(const DedupResult& result);

// Places in the list of clusters.
struct Selection {
  std::vector<std::uint32_t> largest;
  std::vector<std::uint32_t> weakest;  // by the lowest score of a member; no cluster of equal ones
  std::vector<std::uint32_t> any;      // pseudo-random ones of those that are in no other list
};
Selection select_clusters(std::span<const ClusterSummary> clusters);

// The compared pairs nearest to the threshold on one side, equal documents left out. Each document
// once, as long as there are enough: ten pairs of one family would show one thing ten times.
std::vector<ComparedPair> nearest_pairs(const ComparedPairs& compared, bool similar);

}  // namespace benzer::report
