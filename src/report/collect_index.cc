// Collects the report of a deduplication of an index.
#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "benzer/index.h"
#include "benzer/internal/json.h"
#include "benzer/report.h"
#include "benzer/runtime.h"
#include "benzer/similarity.h"

#include "report/evidence.h"
#include "report/selection.h"

namespace benzer {
namespace {

using report::ClusterSummary;
using report::Evidence;

// The removals, in the form of those of a run. Keepers have the number of their cluster. The
// removed documents have the numbers after these, cluster by cluster, so each removal has the same
// place in `result.removed` as in `members`.
struct Numbered {
  DedupResult result;
  std::vector<const IndexCluster::Member*> members;
};

Numbered numbered(const IndexDedup& found) {
  Numbered out;
  auto number = static_cast<std::uint32_t>(found.clusters.size());
  for (std::uint32_t keeper = 0; keeper < found.clusters.size(); ++keeper) {
    for (const IndexCluster::Member& member : found.clusters[keeper].members) {
      out.result.removed.push_back({number++, keeper, member.score});
      out.members.push_back(&member);
    }
  }
  // With containment a part of a keeper has a score of 1, too. Nothing but whether the sizes of a
  // removed document and of its keeper are equal is asked for.
  if (out.members.empty() || !out.members.front()->shares) return out;
  out.result.sizes.assign(number, 1);
  for (std::size_t place = 0; place < out.members.size(); ++place) {
    const Shares& shares = *out.members[place]->shares;
    if (shares.of_a != 1 || shares.of_b != 1) out.result.sizes[found.clusters.size() + place] = 0;
  }
  return out;
}

class IndexCollector {
 public:
  IndexCollector(const Schema& schema, const IndexDedup& found, const Numbered& numbered,
                 const ReadDocument& read, const std::atomic<bool>* stop)
      : schema_(schema), found_(found), numbered_(numbered), read_(read), stop_(stop) {
    for (const FieldSpec& field : schema.fields) extractors_.emplace_back(field.features);
  }

  ReportedPair pair(const ComparedPairs::Pair& pair) const {
    Side a = read(pair.a), b = read(pair.b);
    return compare(a, b, pair.score);
  }

  ReportedCluster cluster(const ClusterSummary& summary) const {
    Side keeper = read(found_.clusters[summary.keeper].keeper);
    ReportedCluster out;
    out.keeper = keeper.document;
    out.why_kept = is_contained() ? "It has the most features, or a decision made it the keeper."
                                  : "It comes before the others in the order of the index, or a "
                                    "decision made it the keeper.";
    out.removed = summary.removed;
    out.equal = summary.equal;
    out.weakest = summary.weakest;
    for (const std::uint32_t place : summary.members) {
      const IndexCluster::Member& member = *numbered_.members[place];
      Side side = read(member.id);
      ReportedMember& shown = out.members.emplace_back();
      shown.pair = compare(keeper, side, member.score);
      if (member.link && member.link->id != found_.clusters[summary.keeper].keeper) {
        shown.link = named(member.link->id);
        shown.link_score = member.link->score;
      }
    }
    return out;
  }

 private:
  // One document, with what the comparison sees in its fields.
  struct Side {
    ReportedDocument document;
    bool is_known = false;
    std::vector<std::optional<Evidence>> fields;  // as in the schema; images are left out
  };

  // score: of the two documents. A keeper that a decision chose may be smaller than what it
  // removes, and has the share `score` of that one.
  double containment_of(const ReportedField& field, double score) const {
    const std::uint64_t size_a = field.shared + field.only_a, size_b = field.shared + field.only_b;
    if (schema_.fields.size() == 1 && shares_of_sets(field.shared, size_a, size_b).of_b == score)
      return score;
    return overlap_of_sizes(field.shared, size_a, size_b, schema_.measure).jaccard();
  }

  bool is_contained() const noexcept { return schema_.measure == Measure::kContainment; }

  static ReportedDocument named(std::string_view id) {
    ReportedDocument out;
    out.id_json = report::shown_id_json(json_string(id));
    return out;
  }

  Side read(const std::string& id) const {
    throw_if_stopped(stop_);
    Side out{named(id), false, {}};
    const std::optional<Document> document = read_ ? read_(id) : std::nullopt;
    if (!document) return out;
    out.is_known = true;
    out.fields.resize(extractors_.size());
    for (const Field& field : document->fields) {
      const std::optional<std::size_t> number = schema_.find(field.name);
      if (!number || schema_.fields[*number].features.image()) continue;
      const std::vector<std::string_view> values(field.values.begin(), field.values.end());
      DocumentView view;
      view.text = field.text;
      view.values = values;
      view.weights = field.weights;
      out.document.bytes += field.text.size();
      for (const std::string_view value : values) out.document.bytes += value.size();
      out.fields[*number] = report::evidence_of(view, extractors_[*number], stop_);
    }
    return out;
  }

  ReportedPair compare(Side& a, Side& b, double score) const {
    ReportedPair out;
    out.a = a.document;
    out.b = b.document;
    out.score = score;
    if (schema_.fields.size() == 1)
      out.distance = distance_of_score(schema_.fields[0].features, score);
    if (!a.is_known || !b.is_known) return out;
    for (std::size_t number = 0; number < extractors_.size(); ++number) {
      std::optional<Evidence>& of_a = a.fields[number];
      std::optional<Evidence>& of_b = b.fields[number];
      if (!of_a && !of_b) continue;
      if (!of_a) of_a.emplace();
      if (!of_b) of_b.emplace();
      out.fields.push_back(report::compare(*of_a, *of_b, extractors_[number]));
      ReportedField& field = out.fields.back();
      field.name = schema_.fields[number].name;
      if (is_contained()) field.score = containment_of(field, score);
    }
    return out;
  }

  const Schema& schema_;
  const IndexDedup& found_;
  const Numbered& numbered_;
  const ReadDocument& read_;
  const std::atomic<bool>* stop_;
  std::vector<FeatureExtractor> extractors_;
};

// Makes the settings of an index with one field those of a run, so that the page can say what the
// bands find.
void add_config(Report& out) {
  const Schema& schema = *out.schema;
  if (schema.fields.size() != 1) return;
  const FeatureSpec& features = schema.fields[0].features;
  out.counts.config.features = features;
  out.counts.config.sketch = schema.sketch;
  if (features.comparison() == Comparison::kHashes) {
    out.distance = distance_of_threshold(features, out.threshold);
  } else if (schema.sketch.has_positions()) {
    out.counts.config.banding = schema.banding;
  }
}

// Chooses the pairs to show as report::choose_pairs() does, with a number for each id.
std::vector<ComparedPairs::Pair> choose_pairs(const std::vector<ComparedPairs::Pair>& pairs) {
  std::unordered_map<std::string_view, std::uint32_t> numbers;
  const auto number = [&](const std::string& id) {
    return numbers.try_emplace(id, static_cast<std::uint32_t>(numbers.size())).first->second;
  };
  std::vector<const std::string*> ids;
  std::vector<ScoredPair> numbered;
  for (const ComparedPairs::Pair& pair : pairs) {
    numbered.push_back({number(pair.a), number(pair.b), pair.score});
    ids.resize(numbers.size());
    ids[numbered.back().a] = &pair.a;
    ids[numbered.back().b] = &pair.b;
  }
  std::vector<ComparedPairs::Pair> out;
  for (const ScoredPair& pair : report::choose_pairs(numbered))
    out.push_back({*ids[pair.a], *ids[pair.b], pair.score});
  return out;
}

}  // namespace

Report collect_report(const Index& index, const WholeIndexOptions& options, const IndexDedup& found,
                      const RunFacts& facts, const ReadDocument& read) {
  Report out;
  out.run = facts;
  out.version = version();
  out.schema = index.schema();
  out.measure = out.schema->measure;
  out.score_rule = options.score;
  out.threshold = options.threshold.value_or(out.schema->min_threshold);
  out.clustering = options.clustering;
  out.counts.recall_at_threshold = index.expected_recall(out.threshold);
  out.counts.documents = found.counts.documents;
  out.counts.empty = found.counts.empty;
  out.counts.candidates = found.counts.candidates;
  out.counts.verified_pairs = found.counts.pairs;
  out.removed = found.removals;
  out.kept = found.counts.documents - found.removals;
  out.clusters = found.clusters.size();
  out.set_apart = found.counts.set_apart;
  out.chosen_keepers = found.counts.chosen_keepers;
  add_config(out);

  const Numbered numbered = benzer::numbered(found);
  report::count_removals(numbered.result, out);
  const std::vector<ClusterSummary> shown =
      report::show_clusters(report::find_clusters(numbered.result, false), out);
  const IndexCollector collector(*out.schema, found, numbered, read, options.stop);
  for (const ClusterSummary& cluster : shown) out.shown.push_back(collector.cluster(cluster));
  for (const ScoredPair& one : report::sample_removals(numbered.result))
    out.sample.push_back(
        collector.pair({found.clusters[one.a].keeper,
                        numbered.members[one.b - found.clusters.size()]->id, one.score}));
  if (!found.compared) return out;
  report::add_scores(found.compared->scores, out);
  for (const ComparedPairs::Pair& pair : choose_pairs(found.compared->above))
    out.above.push_back(collector.pair(pair));
  for (const ComparedPairs::Pair& pair : choose_pairs(found.compared->under))
    out.under.push_back(collector.pair(pair));
  return out;
}

}  // namespace benzer
