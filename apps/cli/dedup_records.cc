#include "dedup_records.h"

#include <algorithm>

#include "json.h"

namespace benzer::cli {
namespace {

// The most similar document of the component, by which this one came into it.
std::string link_object(const Corpus& corpus, const Link& link) {
  const DocumentLabel label = corpus.label(link.document);
  JsonObject object;
  object.raw("id", label.id_json).add("source", label.source).add("line", label.line);
  return object.add("score", link.score).str();
}

}  // namespace

std::string removed_line(const Corpus& corpus, const Removal& removal) {
  const DocumentLabel label = corpus.label(removal.document);
  JsonObject line;
  line.raw("id", label.id_json).add("source", label.source).add("line", label.line);
  if (removal.kept) {
    const DocumentLabel kept = corpus.label(*removal.kept);
    line.raw("kept_id", kept.id_json).add("kept_source", kept.source).add("kept_line", kept.line);
    line.add("score", removal.score).add("exact", true);
    if (removal.link) line.raw("link", link_object(corpus, *removal.link));
  } else {
    line.add_null("kept_id").add_null("kept_source").add_null("kept_line");
    line.add_null("score").add("exact", true).add("reason", "short");
  }
  return line.str() + "\n";
}

std::string pair_line(const Corpus& corpus, std::uint32_t a, std::uint32_t b, double score) {
  JsonObject line;
  line.raw("a", corpus.label(a).id_json).raw("b", corpus.label(b).id_json);
  return line.add("score", score).add("exact", true).str() + "\n";
}

std::string cluster_line(const Corpus& corpus, const DedupResult& result, const Cluster& cluster,
                         std::size_t number) {
  const DocumentLabel keeper = corpus.label(cluster.keeper);
  JsonArray members;
  for (const std::size_t place : cluster.removals) {
    const Removal& removal = result.removed[place];
    const DocumentLabel label = corpus.label(removal.document);
    JsonObject member;
    member.raw("id", label.id_json).add("score", removal.score);
    member.add("source", label.source).add("line", label.line);
    if (removal.link) member.raw("link", link_object(corpus, *removal.link));
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
                                     const std::vector<Cluster>& clusters) {
  struct Membership {
    std::uint32_t document;
    std::uint32_t keeper;
    std::size_t cluster;
    double score;
  };
  std::vector<Membership> memberships;
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    const Cluster& cluster = clusters[i];
    memberships.push_back({cluster.keeper, cluster.keeper, i + 1, 1.0});
    for (const std::size_t place : cluster.removals) {
      const Removal& removal = result.removed[place];
      memberships.push_back({removal.document, cluster.keeper, i + 1, removal.score});
    }
  }
  std::sort(memberships.begin(), memberships.end(),
            [](const Membership& x, const Membership& y) { return x.document < y.document; });
  auto values = [&corpus, memberships = std::move(memberships)](std::uint32_t document,
                                                                std::vector<std::string>& json) {
    const auto found = std::lower_bound(
        memberships.begin(), memberships.end(), document,
        [](const Membership& member, std::uint32_t number) { return member.document < number; });
    if (found == memberships.end() || found->document != document) {
      json.assign(3, "null");
      return;
    }
    json = {std::to_string(found->cluster), corpus.label(found->keeper).id_json,
            json_number(found->score)};
  };
  return {annotation_names(), std::move(values)};
}

}  // namespace benzer::cli
