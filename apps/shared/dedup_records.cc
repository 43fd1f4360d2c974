#include "dedup_records.h"

#include <algorithm>

#include "json.h"
#include "result_json.h"

namespace benzer::apps {
namespace {

const FeatureSpec* features_of(const DedupResult& result) { return &result.counts.config.features; }

// Returns a removed document that has a keeper. With components it has a link, too.
ListedDocument listed_removal(const Corpus& corpus, const DedupResult& result, std::size_t place) {
  const Removal& removal = result.removed[place];
  ListedDocument out{corpus.label(removal.document), removal.score, {}, {}};
  if (!result.sizes.empty()) out.shares = result.shares(removal);
  if (!result.links.empty() && removal.keeper) {
    const Link& link = result.links[place];
    out.link = ListedLink{corpus.label(link.document), link.score};
  }
  return out;
}

}  // namespace

std::string removed_line(const Corpus& corpus, const DedupResult& result, std::size_t place) {
  const Removal& removal = result.removed[place];
  std::optional<DocumentLabel> kept;
  if (removal.keeper) kept = corpus.label(*removal.keeper);
  return removed_json(listed_removal(corpus, result, place), kept ? &*kept : nullptr,
                      features_of(result))
             .str() +
         "\n";
}

std::string pair_line(const Corpus& corpus, const FeatureSpec& features, const ScoredPair& pair,
                      const std::optional<Shares>& shares) {
  return pair_json(corpus.label(pair.a), corpus.label(pair.b), pair.score, &features, shares)
             .str() +
         "\n";
}

std::string cluster_line(const Corpus& corpus, const DedupResult& result, const Cluster& cluster,
                         std::size_t number) {
  return cluster_json(
             number, corpus.label(cluster.keeper), cluster.removals.size(),
             [&](std::size_t i) { return listed_removal(corpus, result, cluster.removals[i]); },
             cluster.weakest, features_of(result))
             .str() +
         "\n";
}

std::vector<std::string> annotation_names() {
  return {"benzer_cluster", "benzer_keeper", "benzer_score", "benzer_kept"};
}

FileCorpus::Annotation annotation_of(const Corpus& corpus, const DedupResult& result,
                                     const Clusters& clusters) {
  std::vector<std::uint32_t> cluster_of(result.removed.size());
  for (std::uint32_t i = 0; i < clusters.size(); ++i)
    for (const std::uint32_t place : clusters[i].removals) cluster_of[place] = i;
  auto values = [&corpus, &result, &clusters, cluster_of = std::move(cluster_of)](
                    std::uint32_t document, std::vector<std::string>& json) {
    const auto set = [&](std::size_t cluster, std::uint32_t keeper, double score) {
      json = {std::to_string(cluster + 1), corpus.label(keeper).id_json, json_number(score),
              document == keeper ? "true" : "false"};
    };
    const auto found = std::lower_bound(
        result.removed.begin(), result.removed.end(), document,
        [](const Removal& removal, std::uint32_t number) { return removal.document < number; });
    const bool is_removed = found != result.removed.end() && found->document == document;
    if (is_removed && found->keeper) {
      const auto place = static_cast<std::size_t>(found - result.removed.begin());
      set(cluster_of[place], *found->keeper, found->score);
    } else if (const auto cluster = clusters.of_keeper(document)) {
      set(*cluster, document, 1);
    } else {
      json = {"null", "null", "null", is_removed ? "false" : "true"};
    }
  };
  return {annotation_names(), std::move(values)};
}

}  // namespace benzer::apps
