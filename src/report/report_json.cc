// Writes a report as JSON.
#include <optional>
#include <string>
#include <vector>

#include "benzer/internal/json.h"
#include "benzer/report.h"

#include "report/selection.h"
#include "report/words.h"

namespace benzer {
namespace {

using report::kMarks;
using report::kShortPolicies;

JsonObject json(const ReportedDocument& document, bool with_bytes) {
  JsonObject out;
  if (document.number) out.add("number", *document.number);
  out.raw("id", document.id_json);
  out.add("source", document.source).add("line", document.line);
  if (with_bytes) out.add("bytes", document.bytes);
  if (document.picture) {
    out.add("width", document.picture->width).add("height", document.picture->height);
    out.add("format", document.picture->format);
    if (!document.picture->problem.empty()) out.add("problem", document.picture->problem);
  }
  return out;
}

JsonObject json(const ReportedText& text) {
  JsonObject out;
  out.add("begin", text.begin).add("end", text.end).add("size", text.size);
  JsonArray pieces;
  for (const ReportedText::Piece& piece : text.pieces)
    pieces.add(JsonObject().add("mark", name_in(kMarks, piece.mark)).add("text", piece.text));
  return out.add("marked", text.marked).add("pieces", pieces);
}

JsonObject& add_field(JsonObject& out, const ReportedField& field) {
  out.add("shared", field.shared);
  out.add("only_a", field.only_a).add("only_b", field.only_b).add("same_text", field.same_text);
  if (field.all_weight > 0)
    out.add("shared_weight", field.shared_weight).add("all_weight", field.all_weight);
  return out.add("text_a", json(field.text_a)).add("text_b", json(field.text_b));
}

JsonObject json(const ReportedPair& pair) {
  JsonObject out;
  out.add("a", json(pair.a, true)).add("b", json(pair.b, true)).add("score", pair.score);
  if (pair.a.picture) {
    if (pair.distance) out.add("distance", *pair.distance);
    out.add("same_file", pair.same_file).add("turned", pair.turned);
    if (pair.shown) out.add("shown_of_a", pair.shown->of_a).add("shown_of_b", pair.shown->of_b);
    return out;
  }
  // Documents of files have only one field, which has no name.
  if (pair.fields.size() == 1 && pair.fields[0].name.empty()) return add_field(out, pair.fields[0]);
  JsonArray fields;
  for (const ReportedField& field : pair.fields) {
    JsonObject one;
    one.add("field", field.name).add("score", field.score);
    fields.add(add_field(one, field));
  }
  return out.add("fields", fields);
}

JsonObject json(const ReportedMember& member) {
  JsonObject out = json(member.pair);
  if (!member.link) return out.add_null("link");
  JsonObject link;
  link.add("document", json(*member.link, false)).add("score", member.link_score);
  return out.add("link", link);
}

JsonObject json(const ReportedCluster& cluster) {
  JsonObject out;
  out.add("keeper", json(cluster.keeper, true));
  out.add("why_kept", cluster.why_kept).add("removed", cluster.removed);
  out.add("equal", cluster.equal).add("lowest_score", cluster.weakest);
  JsonArray members;
  for (const ReportedMember& member : cluster.members) members.add(json(member));
  return out.add("members", members);
}

template <class Items>
JsonArray json_list(const Items& items) {
  JsonArray out;
  for (const auto& item : items) out.add(item);
  return out;
}

JsonArray json_list_of(const std::vector<ReportedPair>& pairs) {
  JsonArray out;
  for (const ReportedPair& pair : pairs) out.add(json(pair));
  return out;
}

JsonObject settings_json(const Report& report) {
  const SimilarityCounts& counts = report.counts;
  JsonObject out;
  out.add("config", report.schema    ? report.schema->str()
                    : counts.anchors ? counts.config.features.str()
                                     : counts.config.str());
  out.add("threshold", report.threshold.str());
  if (report.wanted_recall)
    out.add("wanted_recall", *report.wanted_recall);
  else
    out.add_null("wanted_recall");
  out.add("recall_at_threshold", counts.recall_at_threshold);
  if (report.measure == Measure::kContainment) out.add("measure", name_of(report.measure));
  if (counts.anchors)
    out.add("anchors", counts.anchors->anchors).add("needed_anchors", counts.anchors->needed);
  if (report.distance) out.add("distance", *report.distance);
  const std::optional<Banding>& banding =
      report.schema ? report.schema->banding : counts.config.banding;
  if (banding)
    out.add("bands", banding->bands).add("rows", banding->rows);
  else
    out.add_null("bands").add_null("rows");
  out.add("keep", report.keep.str()).add("clustering", name_of(report.clustering));
  out.add("short", name_in(kShortPolicies, report.short_policy));
  out.add_or_null("group_field", report.run.group_field);
  out.add("inputs", report.run.inputs).add("references", report.run.references);
  out.add_or_null("output", report.run.output);
  return out.add_or_null("removed_list", report.run.removed_list);
}

JsonObject counts_json(const Report& report) {
  const SimilarityCounts& counts = report.counts;
  const InputCounts& input = report.run.input;
  JsonObject out;
  out.add("documents", counts.documents).add("references", counts.references);
  out.add("kept", report.kept).add("removed", report.removed).add("equal", report.equal);
  out.add("near", report.near).add("dropped_short", report.dropped);
  out.add("below_threshold", report.below).add("clusters", report.clusters);
  out.add("largest_cluster", report.largest_cluster);
  out.add("bytes", counts.bytes).add("removed_bytes", report.removed_bytes);
  out.add("input_bytes", input.bytes);
  out.add("common_features", counts.common_features).add("only_common", counts.only_common);
  out.add("empty", counts.empty).add("short", counts.short_documents);
  if (report.pictures) out.add("no_images", counts.undecodable);
  out.add("replaced", counts.replaced).add("exact_duplicates", counts.exact_duplicates);
  out.add("duplicate_ids", input.duplicate_ids).add("skipped", input.skipped);
  out.add("without_group", input.without_group).add("without_number", input.without_number);
  out.add("candidates", counts.candidates).add("verified_pairs", counts.verified_pairs);
  if (counts.cut_short > 0) out.add("cut_short", counts.cut_short);
  if (report.schema)
    out.add("set_apart", report.set_apart).add("chosen_keepers", report.chosen_keepers);
  return out;
}

JsonArray curve_json(const SimilarityCounts& counts) {
  JsonArray out;
  for (int i = 0; i <= report::kCurveSteps; ++i) {
    const double s = static_cast<double>(i) / report::kCurveSteps;
    const std::optional<double> found = report::found_probability(counts, s);
    if (!found) break;
    out.add(JsonObject().add("similarity", s).add("found", *found));
  }
  return out;
}

JsonObject scores_json(const Report& report) {
  JsonObject out;
  out.add("compared", report.compared).add("equal", report.equal_pairs);
  if (report.below_one_of > 1) out.add("below_one_of", report.below_one_of);
  if (!report.below_is_complete) out.add("below_is_complete", false);
  out.add("similar", report.similar_pairs).add("estimated_missed", report.missed_pairs);
  JsonArray bins;
  const auto size = static_cast<double>(report.scores.size());
  for (std::size_t i = 0; i < report.scores.size(); ++i) {
    const auto place = static_cast<double>(i);
    JsonObject bin;
    bin.add("from", place / size).add("to", (place + 1) / size);
    bins.add(bin.add("below", report.scores[i].below).add("similar", report.scores[i].similar));
  }
  return out.add("bins", bins);
}

JsonObject sources_json(const Report& report) {
  JsonArray rows;
  for (const ReportedSource& source : report.sources) {
    JsonObject row;
    row.add("name", source.name).add("reference", source.reference);
    rows.add(row.add("documents", source.documents).add("removed", source.removed));
  }
  JsonObject rest;
  rest.add("documents", report.rest.documents).add("removed", report.rest.removed);
  JsonObject out;
  out.add("rows", rows).add("more", report.more_sources).add("rest", rest);
  out.add("more_references", report.more_references);
  return out.add("documents_of_more_references", report.rest_of_references.documents);
}

JsonObject matrix_json(const Report& report) {
  JsonArray removed_by;
  for (const auto& row : report.removed_by) removed_by.add(json_list(row));
  JsonObject out;
  out.add("sources", report.matrix_sources).add("others", report.matrix_others);
  out.add("references", report.matrix_references);
  out.add("other_references", report.matrix_other_references);
  return out.add("removed_by", removed_by);
}

JsonArray sizes_json(const Report& report) {
  JsonArray out;
  for (const Report::SizeBin& bin : report.sizes) {
    JsonObject one;
    one.add("from", bin.from).add("to", bin.to);
    out.add(one.add("clusters", bin.clusters).add("removed", bin.removed));
  }
  return out;
}

}  // namespace

std::string report_json(const Report& report) {
  JsonObject out;
  out.add("report", 1).add("version", report.version);
  out.add("command", report.run.command).add("dry_run", report.run.dry_run);
  out.add("settings", settings_json(report)).add("counts", counts_json(report));
  out.add("problems", report.run.problems);
  out.add("curve", curve_json(report.counts)).add("scores", scores_json(report));
  out.add("sources", sources_json(report)).add("matrix", matrix_json(report));
  out.add("sizes", sizes_json(report));
  JsonArray clusters;
  for (const ReportedCluster& cluster : report.shown) clusters.add(json(cluster));
  out.add("clusters", clusters);
  out.add("largest", json_list(report.largest)).add("weakest", json_list(report.weakest));
  out.add("any", json_list(report.any)).add("sample", json_list_of(report.sample));
  out.add("above", json_list_of(report.above)).add("below", json_list_of(report.under));
  JsonArray next_steps;
  for (const NextStep& step : report.run.next_steps)
    next_steps.add(JsonObject().add("sentence", step.sentence).add("command", step.command));
  return out.add("next_steps", next_steps).str() + "\n";
}

}  // namespace benzer
