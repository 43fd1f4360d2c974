#include "report/selection.h"

#include <algorithm>
#include <bit>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "base/splitmix.h"
#include "verify/nearest_pairs.h"

namespace benzer::report {
namespace {

// Gives numbers a fixed, pseudo-random order.
std::uint64_t shuffled(std::uint64_t number) { return splitmix64(number); }

// Returns the first `count` of the places, in the order of `before`.
template <class Before>
std::vector<std::uint32_t> first_by(std::vector<std::uint32_t> places, std::size_t count,
                                    Before before) {
  const std::size_t taken = std::min(count, places.size());
  std::partial_sort(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(taken),
                    places.end(), before);
  places.resize(taken);
  return places;
}

}  // namespace

std::vector<ClusterSummary> find_clusters(const DedupResult& result, bool pictures) {
  const std::vector<Removal>& removed = result.removed;
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < removed.size(); ++i)
    if (removed[i].keeper) order.push_back(i);
  const auto key = [&](std::uint32_t i) {
    return std::tuple(*removed[i].keeper, removed[i].score, removed[i].document);
  };
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t x, std::uint32_t y) { return key(x) < key(y); });

  std::vector<ClusterSummary> clusters;
  for (std::size_t first = 0; first < order.size();) {
    ClusterSummary cluster;
    cluster.keeper = *removed[order[first]].keeper;
    std::size_t end = first;
    for (; end < order.size() && *removed[order[end]].keeper == cluster.keeper; ++end)
      cluster.equal += result.equals_keeper(removed[order[end]]);
    cluster.removed = end - first;
    cluster.weakest = removed[order[first]].score;
    if (pictures) {
      for (std::size_t place = first; place < std::min(end, first + kShownCopies); ++place)
        cluster.members.push_back(order[place]);
    } else {
      for (const std::size_t place : {first, (first + end - 1) / 2, end - 1})
        if (cluster.members.empty() || cluster.members.back() != order[place])
          cluster.members.push_back(order[place]);
    }
    clusters.push_back(std::move(cluster));
    first = end;
  }
  return clusters;
}

namespace {

// Keeps as many members of the clusters as fit, with the same limit for each cluster.
void keep_what_fits(std::vector<ClusterSummary>& clusters,
                    const std::function<bool(std::size_t)>& fits) {
  std::size_t most = kShownCopies;
  while (most > 1 && !fits(most)) --most;
  for (ClusterSummary& cluster : clusters)
    cluster.members.resize(std::min(cluster.members.size(), most));
}

}  // namespace

void limit_pictures(std::vector<ClusterSummary>& clusters, std::size_t others) {
  keep_what_fits(clusters, [&](std::size_t most) {
    std::size_t all = others + clusters.size();
    for (const ClusterSummary& cluster : clusters) all += std::min(cluster.members.size(), most);
    return all <= kShownPictures;
  });
}

void limit_bytes(std::vector<ClusterSummary>& clusters, const DedupResult& result,
                 std::span<const ScoredPair> sample,
                 const std::function<std::size_t(std::uint32_t)>& cost) {
  // The page has keepers twice, as they are also laid over the others.
  std::size_t of_sample = 0;
  for (const ScoredPair& pair : sample) of_sample += 2 * cost(pair.a) + cost(pair.b);
  keep_what_fits(clusters, [&](std::size_t most) {
    std::size_t all = of_sample;
    for (const ClusterSummary& cluster : clusters) {
      all += 2 * cost(cluster.keeper);
      for (std::size_t i = 0; i < std::min(cluster.members.size(), most); ++i)
        all += cost(result.removed[cluster.members[i]].document);
    }
    return all <= kShownBytes;
  });
}

std::optional<double> found_probability(const SimilarityCounts& counts, double score) noexcept {
  if (counts.anchors) return counts.anchors->candidate_probability(score);
  if (counts.config.banding) return counts.config.banding->candidate_probability(score);
  return std::nullopt;
}

void count_removals(const DedupResult& result, Report& out) {
  for (const Removal& removal : result.removed) {
    if (!removal.keeper) {
      ++out.dropped;
    } else if (result.equals_keeper(removal)) {
      ++out.equal;
    } else {
      ++out.near;
      // Only in components, where it is the link that reaches the threshold.
      out.below +=
          out.clustering == Clustering::kComponents && removal.score < out.threshold.value();
    }
  }
}

void add_scores(const ScoreCounts& counts, Report& out) {
  out.scores = counts.bins;
  out.equal_pairs = counts.equal;
  out.similar_pairs = counts.similar;
  out.missed_pairs = counts.missed;
  out.compared = counts.equal + counts.similar;
  for (const ScoreCounts::Bin& bin : counts.bins) out.compared += bin.below;
}

namespace {

// Counts clusters of 2, 3, 4 to 7, 8 to 15, ... documents, up to the largest.
void count_sizes(std::span<const ClusterSummary> clusters, Report& out) {
  for (const ClusterSummary& cluster : clusters)
    out.largest_cluster = std::max(out.largest_cluster, cluster.removed + 1);
  for (std::uint64_t from = 2; from <= out.largest_cluster;) {
    const std::uint64_t next = from < 4 ? from + 1 : 2 * from;
    out.sizes.push_back({from, next - 1, 0, 0});
    from = next;
  }
  for (const ClusterSummary& cluster : clusters) {
    const std::uint64_t size = cluster.removed + 1;
    Report::SizeBin& bin =
        out.sizes[size < 4 ? size - 2 : static_cast<std::size_t>(std::bit_width(size)) - 1];
    ++bin.clusters;
    bin.removed += cluster.removed;
  }
}

// Places in the list of clusters.
struct Selection {
  std::vector<std::uint32_t> largest;
  std::vector<std::uint32_t> weakest;  // by the lowest score of a member; no cluster of equal ones
  std::vector<std::uint32_t> any;      // pseudo-random ones of those that are in no other list
};

Selection select_clusters(std::span<const ClusterSummary> clusters) {
  std::vector<std::uint32_t> all(clusters.size()), near;
  for (std::uint32_t i = 0; i < clusters.size(); ++i) {
    all[i] = i;
    if (clusters[i].weakest < 1) near.push_back(i);
  }
  Selection out;
  out.largest = first_by(all, kShownClusters, [&](std::uint32_t x, std::uint32_t y) {
    return std::tuple(clusters[y].removed, x) < std::tuple(clusters[x].removed, y);
  });
  out.weakest = first_by(std::move(near), kShownClusters, [&](std::uint32_t x, std::uint32_t y) {
    // Many are exactly at the threshold; by number they would all come from one part of the corpus.
    return std::tuple(clusters[x].weakest, shuffled(clusters[x].keeper)) <
           std::tuple(clusters[y].weakest, shuffled(clusters[y].keeper));
  });
  std::unordered_set<std::uint32_t> taken(out.largest.begin(), out.largest.end());
  taken.insert(out.weakest.begin(), out.weakest.end());
  std::erase_if(all, [&](std::uint32_t i) { return taken.contains(i); });
  out.any = first_by(std::move(all), kShownClusters, [&](std::uint32_t x, std::uint32_t y) {
    return shuffled(clusters[x].keeper) < shuffled(clusters[y].keeper);
  });
  return out;
}

// Returns each cluster that is in a list once, in the order of the lists, and makes the lists
// places in what it returns.
std::vector<ClusterSummary> list_shown(std::span<const ClusterSummary> clusters,
                                       const Selection& selection, Report& out) {
  std::vector<ClusterSummary> shown;
  std::vector<std::uint32_t> seen;
  const auto place = [&](std::uint32_t cluster) {
    const auto found = std::find(seen.begin(), seen.end(), cluster);
    if (found != seen.end()) return static_cast<std::uint32_t>(found - seen.begin());
    seen.push_back(cluster);
    shown.push_back(clusters[cluster]);
    return static_cast<std::uint32_t>(seen.size() - 1);
  };
  for (const std::uint32_t cluster : selection.largest) out.largest.push_back(place(cluster));
  for (const std::uint32_t cluster : selection.weakest) out.weakest.push_back(place(cluster));
  for (const std::uint32_t cluster : selection.any) out.any.push_back(place(cluster));
  return shown;
}

}  // namespace

std::vector<ClusterSummary> show_clusters(std::span<const ClusterSummary> clusters, Report& out) {
  count_sizes(clusters, out);
  return list_shown(clusters, select_clusters(clusters), out);
}

std::vector<ScoredPair> sample_removals(const DedupResult& result) {
  const std::vector<Removal>& removed = result.removed;
  std::vector<std::uint32_t> places;
  for (std::uint32_t i = 0; i < removed.size(); ++i)
    if (removed[i].keeper) places.push_back(i);
  // The key makes the order another one than that of the clusters.
  constexpr std::uint64_t kKey = 0x72656d6f766564;
  places = first_by(std::move(places), kShownSample, [&](std::uint32_t x, std::uint32_t y) {
    return shuffled(removed[x].document ^ kKey) < shuffled(removed[y].document ^ kKey);
  });
  std::vector<ScoredPair> out;
  for (const std::uint32_t i : places)
    out.push_back({*removed[i].keeper, removed[i].document, removed[i].score});
  return out;
}

std::vector<ScoredPair> choose_pairs(std::span<const ScoredPair> pairs) {
  std::vector<std::size_t> chosen;
  std::unordered_set<std::uint32_t> seen;
  std::vector<bool> taken(pairs.size());
  for (const bool repeats_allowed : {false, true}) {
    for (std::size_t i = 0; i < pairs.size() && chosen.size() < kShownPairs; ++i) {
      const ScoredPair& pair = pairs[i];
      if (taken[i] || (!repeats_allowed && (seen.contains(pair.a) || seen.contains(pair.b))))
        continue;
      taken[i] = true;
      seen.insert({pair.a, pair.b});
      chosen.push_back(i);
    }
  }
  // Pairs with equal scores stay in the order in which they were chosen.
  std::stable_sort(chosen.begin(), chosen.end(), [&](std::size_t x, std::size_t y) {
    return pairs[x].score != pairs[y].score && x < y;
  });
  std::vector<ScoredPair> out;
  for (const std::size_t i : chosen) out.push_back(pairs[i]);
  return out;
}

std::vector<ScoredPair> nearest_similar(const ScoredPairs& similar) {
  NearestPairs nearest(NearestPairs::Side::kAbove);
  similar.for_each([&](const ScoredPair& pair) { nearest.add(pair); });
  return choose_pairs(nearest.finish());
}

}  // namespace benzer::report
