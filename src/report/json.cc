#include "benzer/report.h"

#include "report/json_writer.h"
#include "report/words.h"

namespace benzer {
namespace {

using report::JsonWriter;
using report::name_of;

void write(JsonWriter& out, const ReportedDocument& document, bool with_bytes) {
  out.begin_object();
  out.add("number", document.number).key("id").raw(document.id_json);
  out.add("source", document.source).add("line", document.line);
  if (with_bytes) out.add("bytes", document.bytes);
  if (document.picture) {
    out.add("width", document.picture->width).add("height", document.picture->height);
    out.add("format", document.picture->format);
  }
  out.end_object();
}

void write(JsonWriter& out, const ReportedText& text) {
  out.begin_object();
  out.add("begin", text.begin).add("end", text.end).add("size", text.size);
  out.add("marked", text.marked).key("pieces").begin_array();
  for (const ReportedText::Piece& piece : text.pieces)
    out.begin_object().add("mark", name_of(piece.mark)).add("text", piece.text).end_object();
  out.end_array().end_object();
}

void write_pair(JsonWriter& out, const ReportedPair& pair) {
  out.key("a");
  write(out, pair.a, true);
  out.key("b");
  write(out, pair.b, true);
  out.add("score", pair.score);
  if (pair.a.picture) {
    if (pair.distance) out.add("distance", *pair.distance);
    out.add("same_file", pair.same_text).add("turned", pair.turned);
    if (pair.shown) out.add("shown_of_a", pair.shown->of_a).add("shown_of_b", pair.shown->of_b);
    return;
  }
  out.add("shared", pair.shared);
  out.add("only_a", pair.only_a).add("only_b", pair.only_b).add("same_text", pair.same_text);
  out.key("text_a");
  write(out, pair.text_a);
  out.key("text_b");
  write(out, pair.text_b);
}

void write(JsonWriter& out, const ReportedCluster& cluster) {
  out.begin_object().key("keeper");
  write(out, cluster.keeper, true);
  out.add("why_kept", cluster.why_kept).add("removed", cluster.removed);
  out.add("equal", cluster.equal).add("lowest_score", cluster.lowest_score);
  out.key("members").begin_array();
  for (const ReportedMember& member : cluster.members) {
    out.begin_object();
    write_pair(out, member.pair);
    out.key("link");
    if (member.link) {
      out.begin_object().key("document");
      write(out, *member.link, false);
      out.add("score", member.link_score).end_object();
    } else {
      out.raw("null");
    }
    out.end_object();
  }
  out.end_array().end_object();
}

void write_settings(JsonWriter& out, const Report& report) {
  const SimilarityCounts& counts = report.counts;
  out.key("settings").begin_object();
  out.add("config", counts.config.str()).add("threshold", report.threshold.str());
  out.key("wanted_recall");
  if (report.wanted_recall) {
    out.value(*report.wanted_recall);
  } else {
    out.raw("null");
  }
  out.add("recall_at_threshold", counts.recall_at_threshold);
  if (report.distance) out.add("distance", *report.distance);
  if (counts.config.banding) {
    out.add("bands", counts.config.banding->bands).add("rows", counts.config.banding->rows);
  } else {
    out.key("bands").raw("null").key("rows").raw("null");
  }
  out.add("keep", report.keep.str()).add("clustering", name_of(report.clustering));
  out.add("short", name_of(report.short_policy));
  out.add_or_null("group_field", report.run.group_field);
  out.add_list("inputs", report.run.inputs).add_list("references", report.run.references);
  out.add_or_null("output", report.run.output);
  out.add_or_null("removed_list", report.run.removed_list);
  out.end_object();
}

void write_counts(JsonWriter& out, const Report& report) {
  const SimilarityCounts& counts = report.counts;
  const InputCounts& input = report.run.input;
  out.key("counts").begin_object();
  out.add("documents", counts.documents).add("references", counts.references);
  out.add("kept", report.kept).add("removed", report.removed).add("equal", report.equal);
  out.add("near", report.near).add("dropped_short", report.dropped);
  out.add("below_threshold", report.below).add("clusters", report.clusters);
  out.add("largest_cluster", report.largest_cluster);
  out.add("bytes", counts.bytes).add("removed_bytes", report.removed_bytes);
  out.add("input_bytes", input.bytes);
  out.add("common_features", counts.common_features).add("only_common", counts.only_common);
  out.add("empty", counts.empty).add("short", counts.short_documents);
  if (report.pictures) out.add("no_images", counts.no_images);
  out.add("replaced", counts.replaced).add("exact_duplicates", counts.exact_duplicates);
  out.add("duplicate_ids", input.duplicate_ids).add("skipped", input.skipped);
  out.add("without_group", input.without_group).add("without_number", input.without_number);
  out.add("candidates", counts.candidates).add("verified_pairs", counts.verified_pairs);
  if (counts.cut_short > 0) out.add("cut_short", counts.cut_short);
  out.end_object();
}

void write_figures(JsonWriter& out, const Report& report) {
  const std::optional<Banding>& banding = report.counts.config.banding;
  out.key("curve").begin_array();
  for (int i = 0; banding && i <= report::kCurveSteps; ++i) {
    const double s = static_cast<double>(i) / report::kCurveSteps;
    out.begin_object().add("similarity", s).add("found", banding->candidate_probability(s));
    out.end_object();
  }
  out.end_array();

  out.key("scores").begin_object();
  out.add("compared", report.compared).add("equal", report.equal_pairs);
  if (report.below_one_of > 1) out.add("below_one_of", report.below_one_of);
  if (!report.below_is_complete) out.add("below_is_complete", false);
  out.add("similar", report.similar_pairs).add("estimated_missed", report.missed_pairs);
  out.key("bins").begin_array();
  const auto bins = static_cast<double>(report.scores.size());
  for (std::size_t i = 0; i < report.scores.size(); ++i) {
    const auto place = static_cast<double>(i);
    out.begin_object().add("from", place / bins).add("to", (place + 1) / bins);
    out.add("below", report.scores[i].below).add("similar", report.scores[i].similar).end_object();
  }
  out.end_array().end_object();

  out.key("sources").begin_object().key("rows").begin_array();
  for (const ReportedSource& source : report.sources) {
    out.begin_object().add("name", source.name).add("reference", source.reference);
    out.add("documents", source.documents).add("removed", source.removed).end_object();
  }
  out.end_array().add("more", report.more_sources).key("rest").begin_object();
  out.add("documents", report.rest.documents).add("removed", report.rest.removed);
  out.end_object().end_object();

  out.key("matrix").begin_object().add_list("sources", report.matrix_sources);
  out.add("others", report.matrix_others).key("removed_by").begin_array();
  for (const auto& row : report.removed_by) {
    out.begin_array();
    for (const std::uint64_t number : row) out.value(number);
    out.end_array();
  }
  out.end_array().end_object();

  out.key("sizes").begin_array();
  for (const Report::SizeBin& bin : report.sizes) {
    out.begin_object().add("from", bin.from).add("to", bin.to);
    out.add("clusters", bin.clusters).add("removed", bin.removed).end_object();
  }
  out.end_array();
}

}  // namespace

std::string report_json(const Report& report) {
  JsonWriter out;
  out.begin_object().add("report", 1).add("version", report.version);
  out.add_list("command", report.run.command).add("dry_run", report.run.dry_run);
  write_settings(out, report);
  write_counts(out, report);
  out.add_list("problems", report.run.problems);
  write_figures(out, report);
  out.key("clusters").begin_array();
  for (const ReportedCluster& cluster : report.shown) write(out, cluster);
  out.end_array();
  out.add_list("largest", report.largest).add_list("weakest", report.weakest);
  out.add_list("any", report.any);
  for (const auto& [name, pairs] : {std::pair{"above", &report.above}, {"below", &report.under}}) {
    out.key(name).begin_array();
    for (const ReportedPair& pair : *pairs) {
      out.begin_object();
      write_pair(out, pair);
      out.end_object();
    }
    out.end_array();
  }
  out.key("next_steps").begin_array();
  for (const NextStep& step : report.run.next_steps) {
    out.begin_object().add("sentence", step.sentence).add_list("command", step.command);
    out.end_object();
  }
  return out.end_array().end_object().finish();
}

}  // namespace benzer
