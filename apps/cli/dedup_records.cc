#include "dedup_records.h"

#include <algorithm>

#include "benzer/image.h"

#include "../shared/json.h"

namespace benzer::cli {
namespace {

// The score, and of hashes the distance that it stands for.
JsonObject& add_score(JsonObject& line, const FeatureSpec& features, double score) {
  if (const auto distance = distance_of_score(features, score)) line.add("distance", *distance);
  return line.add("score", score);
}

// The most similar document of the component, by which this one came into it.
std::string link_object(const Corpus& corpus, const FeatureSpec& features, const Link& link) {
  const DocumentLabel label = corpus.label(link.document);
  JsonObject object;
  object.raw("id", label.id_json).add("source", label.source).add("line", label.line);
  return add_score(object, features, link.score).str();
}

}  // namespace

std::string removed_line(const Corpus& corpus, const DedupResult& result, std::size_t place) {
  const FeatureSpec& features = result.counts.config.features;
  const Removal& removal = result.removed[place];
  const DocumentLabel label = corpus.label(removal.document);
  JsonObject line;
  line.raw("id", label.id_json).add("source", label.source).add("line", label.line);
  if (removal.kept) {
    const DocumentLabel kept = corpus.label(*removal.kept);
    line.raw("kept_id", kept.id_json).add("kept_source", kept.source).add("kept_line", kept.line);
    add_score(line, features, removal.score).add("exact", true);
    if (!result.links.empty()) line.raw("link", link_object(corpus, features, result.links[place]));
  } else {
    line.add_null("kept_id").add_null("kept_source").add_null("kept_line");
    line.add_null("score").add("exact", true).add("reason", "short");
  }
  return line.str() + "\n";
}

std::string pair_line(const Corpus& corpus, const FeatureSpec& features, std::uint32_t a,
                      std::uint32_t b, double score) {
  JsonObject line;
  line.raw("a", corpus.label(a).id_json).raw("b", corpus.label(b).id_json);
  return add_score(line, features, score).add("exact", true).str() + "\n";
}

std::string cluster_line(const Corpus& corpus, const DedupResult& result, const Cluster& cluster,
                         std::size_t number) {
  const FeatureSpec& features = result.counts.config.features;
  const DocumentLabel keeper = corpus.label(cluster.keeper);
  JsonArray members;
  for (const std::uint32_t place : cluster.removals) {
    const Removal& removal = result.removed[place];
    const DocumentLabel label = corpus.label(removal.document);
    JsonObject member;
    add_score(member.raw("id", label.id_json), features, removal.score);
    member.add("source", label.source).add("line", label.line);
    if (!result.links.empty())
      member.raw("link", link_object(corpus, features, result.links[place]));
    members.raw(member.str());
  }
  JsonObject line;
  line.add("cluster", number).raw("keeper", keeper.id_json).raw("members", members.str());
  line.add("weakest", cluster.weakest);
  line.add("keeper_source", keeper.source).add("keeper_line", keeper.line);
  return line.str() + "\n";
}

std::vector<std::string> annotation_names() {
  return {"benzer_cluster", "benzer_keeper", "benzer_score"};
}

FileCorpus::Annotation annotation_of(const Corpus& corpus, const DedupResult& result,
                                     const Clusters& clusters) {
  std::vector<std::uint32_t> cluster_of(result.removed.size());
  for (std::uint32_t i = 0; i < clusters.size(); ++i)
    for (const std::uint32_t place : clusters[i].removals) cluster_of[place] = i;
  auto values = [&corpus, &result, &clusters, cluster_of = std::move(cluster_of)](
                    std::uint32_t document, std::vector<std::string>& json) {
    const auto set = [&](std::size_t cluster, std::uint32_t keeper, double score) {
      json = {std::to_string(cluster + 1), corpus.label(keeper).id_json, json_number(score)};
    };
    const auto found = std::lower_bound(
        result.removed.begin(), result.removed.end(), document,
        [](const Removal& removal, std::uint32_t number) { return removal.document < number; });
    if (found != result.removed.end() && found->document == document && found->kept) {
      const auto place = static_cast<std::size_t>(found - result.removed.begin());
      set(cluster_of[place], *found->kept, found->score);
    } else if (const auto cluster = clusters.of_keeper(document)) {
      set(*cluster, document, 1);
    } else {
      json.assign(3, "null");
    }
  };
  return {annotation_names(), std::move(values)};
}

}  // namespace benzer::cli
