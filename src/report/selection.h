// Selects the clusters and pairs that people are shown; the same result gives the same selection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "benzer/dedup.h"
#include "benzer/report.h"

namespace benzer::report {

inline constexpr std::size_t kShownClusters = 20;      // of each kind
inline constexpr std::size_t kShownPairs = 10;         // on each side of the threshold
inline constexpr std::size_t kShownSample = 20;        // of the removals
inline constexpr std::size_t kShownCopies = 11;        // of a cluster of images, besides the keeper
inline constexpr std::size_t kShownPictures = 300;     // in all, so that a page stays small
inline constexpr std::size_t kShownBytes = 3'600'000;  // of the thumbnails of clusters and sample

struct ClusterSummary {
  std::uint32_t keeper = 0;
  std::vector<std::uint32_t> members;  // those that are shown: places in DedupResult::removed
  std::uint64_t removed = 0;
  std::uint64_t equal = 0;
  double weakest = 1;
};

// Returns all clusters, by keeper. Their members are the least, the middle and the most similar
// one; of images, which people see at a glance, the least similar ones.
std::vector<ClusterSummary> find_clusters(const DedupResult& result, bool pictures);

// Leaves out members so that at most kShownPictures images are shown, keepers and `others` more
// included, but keeps at least one of each cluster.
void limit_pictures(std::vector<ClusterSummary>& clusters, std::size_t others);

// Leaves out members so that the thumbnails, with those of the sample, take at most kShownBytes,
// but keeps at least one of each cluster. cost(document): the bytes of its thumbnail.
void limit_bytes(std::vector<ClusterSummary>& clusters, const DedupResult& result,
                 std::span<const ScoredPair> sample,
                 const std::function<std::size_t(std::uint32_t)>& cost);

// Returns the probability that a pair with this score is found, by bands or anchors; nothing if
// there are neither, since then none is missed.
std::optional<double> found_probability(const SimilarityCounts& counts, double score) noexcept;

// Counts the removals by kind. The report must have its threshold and clustering.
void count_removals(const DedupResult& result, Report& report);

// Fills in the compared pairs by score, and how many they are.
void add_scores(const ScoreCounts& counts, Report& report);

// Fills in the sizes of the clusters, and the lists of those that are shown: the largest, the
// weakest and any others. Returns each cluster of these lists once, in their order; the lists have
// its place in what is returned.
std::vector<ClusterSummary> show_clusters(std::span<const ClusterSummary> clusters, Report& report);

// Picks removals at random, at most kShownSample, each with the same probability whatever its
// cluster and score. They are in a random order, so the first of them are a sample, too. a is the
// keeper; removals without one are left out.
std::vector<ScoredPair> sample_removals(const DedupResult& result);

// Chooses the pairs to show from those on one side of the threshold, the nearest first. Each
// document is in one pair only, as long as there are enough: ten pairs of one cluster would show
// one thing ten times.
std::vector<ScoredPair> choose_pairs(std::span<const ScoredPair> pairs);

// Does the same for the similar pairs, without pairs of equal documents.
std::vector<ScoredPair> nearest_similar(const ScoredPairs& similar);

}  // namespace benzer::report
