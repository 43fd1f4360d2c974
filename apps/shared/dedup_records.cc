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

Marks::Marks(const DedupResult& result, const Clusters& clusters)
    : result_(result), clusters_(clusters), cluster_of_(result.removed.size()) {
  for (std::uint32_t i = 0; i < clusters.size(); ++i)
    for (const std::uint32_t place : clusters[i].removals) cluster_of_[place] = i;
}

Marks::Mark Marks::of(std::uint32_t document) const {
  const auto found = std::lower_bound(
      result_.removed.begin(), result_.removed.end(), document,
      [](const Removal& removal, std::uint32_t number) { return removal.document < number; });
  if (found == result_.removed.end() || found->document != document) {
    if (const auto cluster = clusters_.of_keeper(document)) return {cluster, document, 1, true};
    return {};
  }
  if (!found->keeper) return {.is_kept = false};
  const auto place = static_cast<std::size_t>(found - result_.removed.begin());
  return {cluster_of_[place], *found->keeper, found->score, false};
}

std::vector<std::string> annotation_names() {
  return {"benzer_cluster", "benzer_keeper", "benzer_score", "benzer_kept"};
}

FileCorpus::Annotation annotation_of(const Corpus& corpus, const DedupResult& result,
                                     const Clusters& clusters) {
  auto values = [&corpus, marks = Marks(result, clusters)](std::uint32_t document,
                                                           std::vector<std::string>& json) {
    const Marks::Mark mark = marks.of(document);
    json.assign(3, "null");
    if (mark.cluster)
      json = {std::to_string(*mark.cluster + 1), corpus.label(mark.keeper).id_json,
              json_number(mark.score)};
    json.emplace_back(mark.is_kept ? "true" : "false");
  };
  return {annotation_names(), std::move(values)};
}

}  // namespace benzer::apps
