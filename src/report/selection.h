// Which clusters and pairs people are shown: the same for the same result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "benzer/dedup.h"
#include "benzer/report.h"

namespace benzer::report {

inline constexpr std::size_t kShownClusters = 20;   // of each kind
inline constexpr std::size_t kShownPairs = 10;      // on each side of the threshold
inline constexpr std::size_t kShownCopies = 11;     // of a cluster of pictures, beside the kept one
inline constexpr std::size_t kShownPictures = 300;  // in all, so that a page stays small
inline constexpr std::size_t kShownBytes = 3'600'000;  // of the thumbnails of clusters

struct ClusterSummary {
  std::uint32_t keeper = 0;
  std::vector<std::uint32_t> members;  // what is shown of them, places in DedupResult::removed
  std::uint64_t removed = 0;
  std::uint64_t equal = 0;
  double weakest = 1;
};

// All clusters, by keeper. Of their members the least, the middle and the most similar one; of
// pictures, which are quickly looked at, the least similar ones.
std::vector<ClusterSummary> find_clusters(const DedupResult& result, bool pictures);

// Takes so many members of all clusters that there are at most kShownPictures of them, with the
// keepers and so many others; but at least one of each cluster.
void limit_pictures(std::vector<ClusterSummary>& clusters, std::size_t others);

// The same for the bytes of their thumbnails: cost(document).
void limit_bytes(std::vector<ClusterSummary>& clusters, const DedupResult& result,
                 const std::function<std::size_t(std::uint32_t)>& cost);

// The removals by kind. report: with its threshold and clustering.
void count_removals(const DedupResult& result, Report& report);

// The sizes of the clusters, and which of them are shown: the largest, the weakest and any others.
// Returns each of these once, in the order of the lists, which are places in what is returned.
std::vector<ClusterSummary> show_clusters(std::span<const ClusterSummary> clusters, Report& report);

// Of pairs on one side of the threshold, the nearest first, those that are shown: each document
// once, as long as there are enough: ten pairs of one family would show one thing ten times.
std::vector<ScoredPair> choose_pairs(std::span<const ScoredPair> pairs);

// The same of the similar pairs, equal documents left out.
std::vector<ScoredPair> nearest_similar(const ScoredPairs& similar);

}  // namespace benzer::report
