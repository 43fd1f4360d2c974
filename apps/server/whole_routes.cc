// Answers questions about a whole index (its pairs and clusters), and makes plans.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "benzer/banding.h"

#include "../shared/result_json.h"
#include "decision_json.h"
#include "dedup_report.h"
#include "json_body.h"
#include "routes.h"

namespace benzer::server {
namespace {

// Thrown to end a question when the answer has all the rows that were asked for.
struct Enough {};

struct Question {
  WholeIndexOptions options;
  std::size_t limit;
};

Question read_question(const Api& api, const Request& request, JsonBody& body) {
  Question out{read_whole_options(body), 0};
  out.options.ignore_decisions = body.flag("ignore_decisions").value_or(false);
  out.options.stop = &request.stop->flag();
  out.limit = body.number("limit", 1, api.limits().rows).value_or(1000);
  return out;
}

// The rows of an answer, a JSON object a line. The last one says whether there were more than were
// asked for.
class Rows {
 public:
  explicit Rows(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  // Returns false if there are `limit` rows already. Throws Problem(422) if the answer is too long.
  bool add(const JsonObject& row, std::size_t limit) {
    if (rows_ == limit) return false;
    const std::string line = row.str() + "\n";
    need(line.size());
    ++rows_;
    out_ += line;
    return true;
  }
  // Throws Problem(422) if a row of this many bytes would not fit, before it is made.
  void need(std::size_t bytes) const {
    if (bytes <= most_bytes_ - out_.size()) return;
    throw Problem(422, "answer_too_large", "the answer would have more bytes than are allowed")
        .hint("Ask for fewer with 'limit', or POST .../dedup: its report comes in pieces.");
  }

  // counts is null if the question ended early, and so they are unknown.
  Response response(const WholeIndexCounts* counts, bool is_cut, bool has_clusters) {
    JsonObject summary, last;
    summary.add("rows", rows_).add("truncated", is_cut);
    if (counts) {
      summary.add("documents", counts->documents).add("candidates", counts->candidates);
      summary.add("pairs", counts->pairs);
      if (has_clusters) summary.add("clusters", counts->clusters);
      add_decided(summary, counts->set_apart,
                  has_clusters ? std::optional(counts->chosen_keepers) : std::nullopt);
    }
    out_ += last.raw("summary", summary.str()).str() + "\n";
    return {200, "application/x-ndjson", std::move(out_)};
  }

 private:
  std::size_t most_bytes_;
  std::size_t rows_ = 0;
  std::string out_;
};

std::string alternative_json(const Alternative& row) {
  JsonObject out;
  out.add("name", row.name).add("bands", row.banding.bands).add("rows", row.banding.rows);
  out.add("recall_at_threshold", row.recall_at_threshold);
  return out.add("fits", row.fits).str();
}

// Maps each document that was decided about to the latest decision.
std::map<std::string, const Decision*> by_member(const std::vector<Decision>& decisions) {
  std::map<std::string, const Decision*> out;
  for (const Decision& decision : decisions)
    for (const std::string& member : decision.members) {
      const Decision*& place = out[member];
      if (!place || place->at <= decision.at) place = &decision;
    }
  return out;
}

std::size_t least_bytes(const IndexCluster& cluster) {
  std::size_t out = cluster.keeper.size();
  for (const IndexCluster::Member& member : cluster.members)
    out += member.id.size() + (member.link ? member.link->id.size() : 0);
  return out;
}

JsonObject decided_json(std::uint64_t number, const IndexCluster& cluster,
                        const std::map<std::string, const Decision*>& decided) {
  JsonObject row = cluster_json(number, cluster);
  auto decision = decided.find(cluster.keeper);
  for (std::size_t i = 0; decision == decided.end() && i < cluster.members.size(); ++i)
    decision = decided.find(cluster.members[i].id);
  row.raw("decision", decision == decided.end() ? "null" : decision_json(*decision->second));
  return row;
}

}  // namespace

WholeIndexOptions read_whole_options(JsonBody& body) {
  WholeIndexOptions out;
  out.threads = 1;  // leaves the other cores to other requests
  out.threshold = body.threshold("threshold");
  out.score = read_rule(body);
  out.allow_low_recall = body.flag("allow_low_recall").value_or(false);
  return out;
}

Clustering read_clustering(JsonBody& body, const Schema& schema) {
  const std::string way = body.text("cluster").value_or("leader");
  if (way == "leader") return Clustering::kLeader;
  if (way == "components" && schema.measure == Measure::kContainment)
    throw Problem(422, "wrong_value", "clustering by components has no containment").at("/cluster");
  if (way == "components") return Clustering::kComponents;
  throw Problem(422, "wrong_value", "'cluster' is not leader or components").at("/cluster");
}

Response list_pairs(Api& api, Request& request) {
  const auto served = served_index_of(api, request);
  JsonBody body(request);
  const Question question = read_question(api, request, body);
  body.finish();
  const Api::Turn turn(api, request);
  Rows rows(api.limits().answer_bytes);
  try {
    const WholeIndexCounts counts =
        served->index().for_each_similar_pair(question.options, [&](const ScoredIds& pair) {
          if (!rows.add(pair_json(pair), question.limit)) throw Enough();
        });
    return rows.response(&counts, false, false);
  } catch (const Enough&) {
    return rows.response(nullptr, true, false);
  }
}

Response list_clusters(Api& api, Request& request) {
  const auto served = served_index_of(api, request);
  JsonBody body(request);
  Question question = read_question(api, request, body);
  question.options.clustering = read_clustering(body, served->index().schema());
  const std::string sort = body.text("sort").value_or("keeper");
  body.finish();
  if (sort != "keeper" && sort != "size" && sort != "weakest")
    throw Problem(422, "wrong_value", "'sort' is not keeper, size or weakest").at("/sort");
  const Api::Turn turn(api, request);
  std::vector<IndexCluster> clusters;
  // Sorts, and drops the clusters beyond the limit.
  const auto cut = [&] {
    if (sort == "size")
      std::stable_sort(clusters.begin(), clusters.end(), [](const auto& a, const auto& b) {
        return a.members.size() > b.members.size();
      });
    if (sort == "weakest")
      std::stable_sort(clusters.begin(), clusters.end(),
                       [](const auto& a, const auto& b) { return a.weakest < b.weakest; });
    if (clusters.size() > question.limit) clusters.resize(question.limit);
  };
  const WholeIndexCounts counts =
      served->index().for_each_cluster(question.options, [&](const IndexCluster& cluster) {
        clusters.push_back(cluster);
        if (clusters.size() > 2 * question.limit) cut();
      });
  cut();
  const std::vector<Decision> decisions = served->index().decisions();
  const auto decided = by_member(decisions);
  Rows rows(api.limits().answer_bytes);
  std::uint64_t number = 0;
  for (const IndexCluster& cluster : clusters) {
    rows.need(least_bytes(cluster));
    rows.add(decided_json(++number, cluster, decided), question.limit);
  }
  return rows.response(&counts, counts.clusters > clusters.size(), true);
}

Response make_plan(Api&, Request& request) {
  JsonBody body(request);
  PlanRequest wanted;
  if (const auto threshold = body.threshold("threshold")) wanted.threshold = threshold->value();
  wanted.recall = body.real("recall", 0.000001, 0.999999999).value_or(wanted.recall);
  wanted.slots = static_cast<int>(
      body.number("slots", 1, 4096).value_or(static_cast<std::uint64_t>(wanted.slots)));
  const std::uint64_t features = body.number("features", 1, 1'000'000).value_or(0);
  body.finish();
  const Plan plan = benzer::plan(wanted);
  JsonArray alternatives, others, curve;
  for (const Alternative& row : benzer::alternatives(wanted))
    alternatives.raw(alternative_json(row));
  for (const Alternative& row : rules_of_others(wanted)) others.raw(alternative_json(row));
  for (int i = 1; i <= 50; ++i) {
    const double similarity = i / 50.0;
    JsonObject point;
    point.add("similarity", similarity);
    curve.raw(point.add("probability", plan.banding.candidate_probability(similarity)).str());
  }
  // Bytes in the memory of an index and on its disk: for each band a key of 4 bytes with the
  // document's number, and half a byte for each slot of the cut signature. Features and id are not
  // included.
  const int bytes = plan.banding.bands * 8 + (wanted.slots + 1) / 2;
  JsonObject out;
  out.add("bands", plan.banding.bands).add("rows", plan.banding.rows).add("slots", wanted.slots);
  out.add("recall_at_threshold", plan.recall_at_threshold).add("bytes_per_document", bytes);
  if (features > 0) out.add("feature_bytes_per_document", features * sizeof(std::uint64_t));
  out.raw("alternatives", alternatives.str()).raw("rules_of_others", others.str());
  return {200, "application/json", out.raw("curve", curve.str()).str() + "\n"};
}

}  // namespace benzer::server
