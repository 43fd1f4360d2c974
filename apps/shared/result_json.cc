#include "result_json.h"

#include "benzer/similarity.h"

namespace benzer::apps {
namespace {

bool has_no_id(const DocumentLabel& label) { return label.id_json == "null"; }

// Adds where the document is; in a table without a name only if its id does not tell.
void add_place(JsonObject& out, std::string_view prefix, const DocumentLabel& label) {
  const bool is_named = !label.source.empty();
  if (is_named) out.add(std::string(prefix) + "source", label.source);
  if (is_named || (has_no_id(label) && label.line > 0))
    out.add(std::string(prefix) + "line", label.line);
}

// Adds the score, and for hashes the distance that corresponds to it.
void add_score(JsonObject& out, const FeatureSpec* features, double score) {
  if (const auto distance = features ? distance_of_score(*features, score) : std::nullopt)
    out.add("distance", *distance);
  out.add("score", score);
}

std::string link_json(const ListedLink& link, const FeatureSpec* features) {
  JsonObject out;
  out.raw("id", link.document.id_json);
  add_place(out, "", link.document);
  add_score(out, features, link.score);
  return out.str();
}

void add_shares(JsonObject& out, const ListedDocument& removed) {
  if (!removed.shares) return;
  out.add("share_of_removed", removed.shares->of_a).add("share_of_keeper", removed.shares->of_b);
}

std::string member_json(const ListedDocument& member, const FeatureSpec* features) {
  JsonObject out;
  out.raw("id", member.document.id_json);
  add_score(out, features, member.score);
  add_shares(out, member);
  add_place(out, "", member.document);
  if (member.link) out.raw("link", link_json(*member.link, features));
  return out.str();
}

}  // namespace

DocumentLabel label_of(std::string_view id) { return {json_string(id), {}, 0}; }

ListedDocument listed(const IndexCluster::Member& member) {
  ListedDocument out{label_of(member.id), member.score, {}, member.shares};
  if (member.link) out.link = ListedLink{label_of(member.link->id), member.link->score};
  return out;
}

JsonObject pair_json(const DocumentLabel& a, const DocumentLabel& b, double score,
                     const FeatureSpec* features, const std::optional<Shares>& shares) {
  JsonObject out;
  out.raw("a", a.id_json).raw("b", b.id_json);
  add_score(out, features, score);
  if (shares) out.add("share_of_a", shares->of_a).add("share_of_b", shares->of_b);
  out.add("exact", true);
  if (has_no_id(a)) add_place(out, "a_", a);
  if (has_no_id(b)) add_place(out, "b_", b);
  return out;
}

JsonObject pair_json(const ScoredIds& pair) {
  return pair_json(label_of(pair.a), label_of(pair.b), pair.score, nullptr, pair.shares);
}

JsonObject removed_json(const ListedDocument& gone, const DocumentLabel* kept,
                        const FeatureSpec* features) {
  JsonObject out;
  out.raw("id", gone.document.id_json);
  add_place(out, "", gone.document);
  if (kept == nullptr) {
    out.add_null("kept_id").add_null("kept_source").add_null("kept_line");
    out.add_null("score").add("exact", true).add("reason", "short");
    return out;
  }
  out.raw("kept_id", kept->id_json);
  add_place(out, "kept_", *kept);
  add_score(out, features, gone.score);
  add_shares(out, gone);
  out.add("exact", true);
  if (gone.link) out.raw("link", link_json(*gone.link, features));
  return out;
}

JsonObject cluster_json(std::uint64_t number, const DocumentLabel& keeper, std::size_t members,
                        const std::function<ListedDocument(std::size_t)>& member, double weakest,
                        const FeatureSpec* features) {
  JsonArray all;
  for (std::size_t i = 0; i < members; ++i) all.raw(member_json(member(i), features));
  JsonObject out;
  out.add("cluster", number).raw("keeper", keeper.id_json).add("size", members + 1);
  out.raw("members", all.str()).add("weakest", weakest);
  add_place(out, "keeper_", keeper);
  return out;
}

JsonObject cluster_json(std::uint64_t number, const IndexCluster& cluster) {
  JsonObject out = cluster_json(
      number, label_of(cluster.keeper), cluster.members.size(),
      [&](std::size_t i) { return listed(cluster.members[i]); }, cluster.weakest, nullptr);
  if (!cluster.keeper_expires_at.empty()) out.add("keeper_expires_at", cluster.keeper_expires_at);
  return out;
}

JsonObject& add_decided(JsonObject& out, std::uint64_t set_apart,
                        std::optional<std::uint64_t> chosen_keepers) {
  out.add("set_apart", set_apart);
  if (chosen_keepers) out.add("chosen_keepers", *chosen_keepers);
  return out;
}

}  // namespace benzer::apps
