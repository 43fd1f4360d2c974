#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "benzer/internal/score_text.h"
#include "benzer/internal/text.h"

#include "report/html_text.h"
#include "report/page.h"
#include "report/plot.h"
#include "report/selection.h"
#include "report/words.h"

namespace benzer::report {
namespace {

std::string curve(const Report& report) {
  const std::optional<AnchorPlan>& anchors = report.counts.anchors;
  plot::Frame frame;
  frame.title = "Probability that a pair is found, by its similarity";
  frame.description = anchors
                          ? fmt::format("{} of {} anchors", anchors->needed, anchors->anchors)
                          : fmt::format("{} bands of {} slots", report.counts.config.banding->bands,
                                        report.counts.config.banding->rows);
  frame.description +=
      fmt::format("; {} at the threshold {}", shown_probability(report.counts.recall_at_threshold),
                  report.threshold.str());
  frame.x = {"similarity of the pair", 0, 1, false};
  frame.y = {"probability that it is found", 0, 1, false};
  frame.rules = {{report.threshold.value(), "threshold " + report.threshold.str()}};
  plot::Line line;
  for (int i = 0; i <= kCurveSteps; ++i) {
    const double s = static_cast<double>(i) / kCurveSteps;
    line.points.emplace_back(s, *found_probability(report.counts, s));
  }
  return plot::lines(frame, {line});
}

std::string number_compared(const Report& report) {
  return (report.below_one_of > 1 ? "about " : "") +
         counted(report.compared - report.equal_pairs, "pair was", "pairs were");
}

std::string measured(const Report& report) {
  plot::Bars below{"below the threshold", {}, plot::Colour::kQuiet};
  plot::Bars similar{"similar", {}, plot::Colour::kFirst};
  std::vector<double> edges{0};
  double most = 9;
  for (std::size_t i = 0; i < report.scores.size(); ++i) {
    const ScoreCounts::Bin& bin = report.scores[i];
    edges.push_back(static_cast<double>(i + 1) / static_cast<double>(report.scores.size()));
    below.values.push_back(static_cast<double>(bin.below));
    similar.values.push_back(static_cast<double>(bin.similar));
    most = std::max(most, static_cast<double>(bin.below + bin.similar));
  }
  plot::Frame frame;
  frame.title = "Pairs that were compared, by their exact similarity";
  frame.description = fmt::format("{} pairs below the threshold or above it, and {} equal ones",
                                  report.compared - report.equal_pairs, report.equal_pairs);
  frame.x = {"similarity of the pair", 0, 1, false};
  frame.y = {"pairs, on a logarithmic scale", 0, most * 1.3, true};
  frame.rules = {{report.threshold.value(), ""}};
  return plot::histogram(frame, edges, {below, similar});
}

std::string missed_sentence(const Report& report) {
  if (report.similar_pairs == 0) return "";
  const double all = report.missed_pairs + static_cast<double>(report.similar_pairs);
  const double share = 100 * report.missed_pairs / all;
  return fmt::format(
      " Going by the {} that were found and the curve, about {} more like them {} missed ({}): an "
      "estimate, of pairs of different documents.",
      counted(report.similar_pairs, "similar pair", "similar pairs"),
      report.missed_pairs < 0.5
          ? "none"
          : with_separators(static_cast<std::uint64_t>(std::llround(report.missed_pairs))),
      report.missed_pairs < 1.5 && report.missed_pairs >= 0.5 ? "was" : "were",
      share < 0.01 ? "under 0.01 %" : fmt::format("{:.2f} %", share));
}

std::string bar(std::uint64_t part, std::uint64_t whole) {
  const double share =
      whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
  return fmt::format("<span class=\"bar\"><span style=\"width:{:.1f}%\"></span></span>", share);
}

void append_source_row(const std::string& name, const ReportedSource& source, std::string& out) {
  out += fmt::format("<tr><th scope=\"row\">{}</th><td class=\"number\">{}</td>", name,
                     with_separators(source.documents));
  if (source.reference) {
    out +=
        "<td class=\"number\">\u2013</td><td class=\"number\">\u2013</td><td "
        "class=\"bars\"></td></tr>\n";
    return;
  }
  out += fmt::format(
      "<td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"bars\">{}</td></tr>\n",
      with_separators(source.removed), shown_share(source.removed, source.documents),
      bar(source.removed, source.documents));
}

// references: which of the sources to append.
void append_source_rows(const Report& report, bool references, std::string& out) {
  for (const ReportedSource& source : report.sources) {
    if (source.reference != references) continue;
    const std::string name =
        source.name.empty() ? "memory" : html_text(shortened(source.name, 200));
    append_source_row("<bdi>" + name + "</bdi>" + (references ? " (references)" : ""), source, out);
  }
}

void append_matrix_table(const plot::HeatMap& map,
                         const std::vector<std::vector<std::uint64_t>>& values, std::string& out) {
  out += fmt::format(
      "<details><summary>The same as a table</summary><div {}><table>\n"
      "<caption>{}</caption>\n<thead><tr><th scope=\"col\">Removed from</th>",
      scroll_region("inside scroll", "Removals by source"), map.title);
  const auto shown = [](const std::string& name) { return html_text(shortened(name, 60)); };
  for (const std::string& name : map.columns)
    out += fmt::format("<th scope=\"col\" class=\"number\">{}</th>", shown(name));
  out += "</tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < values.size(); ++i) {
    out += fmt::format("<tr><th scope=\"row\">{}</th>", shown(map.rows[i]));
    for (const std::uint64_t value : values[i])
      out += fmt::format("<td class=\"number\">{}</td>", with_separators(value));
    out += "</tr>\n";
  }
  out += "</tbody>\n</table></div></details>\n";
}

void append_matrix(const Report& report, std::string& out) {
  const bool has_columns = !report.removed_by.empty() && report.removed_by[0].size() > 1;
  if (!has_columns || report.removed == report.dropped) return;
  plot::HeatMap map;
  const std::string_view many = noun_of(report).many;
  map.title = fmt::format("Removed {} by their source and the source of their keepers", many);
  map.row_title = "removed from";
  map.column_title = "because of one kept in";
  map.rows = report.matrix_sources;
  if (report.matrix_others > 0)
    map.rows.push_back(fmt::format("{} others", with_separators(report.matrix_others)));
  for (const std::string& name : report.matrix_references)
    map.columns.push_back(name + " (reference)");
  std::vector<std::string> others;
  if (report.matrix_others > 0)
    others.push_back(counted(report.matrix_others, "other source", "other sources"));
  if (report.matrix_other_references > 0) {
    others.push_back(
        counted(report.matrix_other_references, "other reference", "other references"));
    map.columns.push_back(others.back());
  }
  map.columns.insert(map.columns.end(), map.rows.begin(), map.rows.end());
  // References come first, as in the table above: they are in the last columns of the report.
  std::vector<std::vector<std::uint64_t>> removed_by = report.removed_by;
  for (std::vector<std::uint64_t>& row : removed_by) {
    std::rotate(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(map.rows.size()), row.end());
    map.values.emplace_back(row.begin(), row.end());
  }
  append_figure("<div " + scroll_region("scroll", map.title) + ">" + plot::heat_map(map) + "</div>",
                fmt::format("Sources compared with each other: a row tells how many {0} of a "
                            "source were removed, a column which source their keepers are from. "
                            "Where both are the same source, removals inside it are counted.",
                            many) +
                    (report.matrix_references.empty()
                         ? ""
                         : " Nothing is removed from references, so they have columns only.") +
                    (others.empty() ? std::string()
                                    : fmt::format(" Summed up: {}.", fmt::join(others, " and "))),
                out);
  append_matrix_table(map, removed_by, out);
}

}  // namespace

std::string sample_in_words(const Report& report) {
  std::string out;
  if (report.below_one_of > 1)
    out +=
        fmt::format(" Of the pairs below the threshold a sample was counted; each represents {}.",
                    with_separators(report.below_one_of));
  if (!report.below_is_complete)
    out += fmt::format(
        " Where very many {} share the same passages, further pairs that cannot reach the "
        "threshold were ruled out without a score; they are not drawn.",
        noun_of(report).many);
  if (report.set_apart > 0) out += " Pairs that decisions set apart are not counted.";
  return out;
}

namespace {

// Shows the scores of all pairs that were compared. how: what was done with them; rest: what the
// picture lacks beside pairs with the highest score.
void append_scores(const Report& report, std::string_view how, std::string_view rest,
                   std::string& out) {
  append_figure(
      measured(report),
      fmt::format("{} {}; {} more {} {} and not drawn.{}", number_compared(report), how,
                  with_separators(report.equal_pairs), report.equal_pairs == 1 ? "is" : "are",
                  report.measure == Measure::kContainment ? "wholly contained" : "equal", rest),
      out);
}

// Says how documents of an index that contain one another were found.
void append_keys(const Report& report, std::string& out) {
  append_heading("trust", "What the keys find, and what was measured", out);
  out += fmt::format(
      "<p>No removal rests on an estimate: all features of every removed document were compared "
      "with those of the kept one. What can happen is that a pair is never looked at. Of each "
      "document a hash picks features, its keys, which larger documents look up; a document with "
      "fewer than {} features has all of them as keys. A pair exactly at the threshold {} is found "
      "with a probability of at least {}.</p>\n",
      report.schema->keys->least, report.threshold.str(),
      shown_probability(report.counts.recall_at_threshold));
  append_scores(
      report, "compared exactly",
      " Pairs with few common keys are not compared, so there are few pairs far below the "
      "threshold." +
          sample_in_words(report),
      out);
}

// The removed documents that are not equal to their keeper, in words.
std::string different_removals(const Report& report) {
  return report.below == 0 ? "every near-copy"
                           : fmt::format("every near-copy, and of every {} linked by a chain,",
                                         noun_of(report).one);
}

// Says how pairs of documents with several fields were found.
void append_fields(const Report& report, std::string& out) {
  append_heading("trust", "What is found, and what was measured", out);
  out += fmt::format(
      "<p>No removal rests on an estimate: of {} all fields were compared with those of the kept "
      "document. What can happen is that a pair is never looked at. Two documents are "
      "compared when at least one field of both looks similar by its signature or its hash; a pair "
      "exactly at the threshold {} is found with probability {}.</p>\n",
      different_removals(report), report.threshold.str(),
      shown_probability(report.counts.recall_at_threshold));
  append_scores(
      report, "compared exactly",
      " Pairs of which no field looks similar are not compared, so there are few pairs far "
      "below the threshold." +
          sample_in_words(report),
      out);
}

// Says how contained documents were found.
void append_anchors(const Report& report, std::string& out) {
  const AnchorPlan& anchors = *report.counts.anchors;
  const Noun noun = noun_of(report);
  append_heading("trust", "What the anchors find, and what was measured", out);
  out += fmt::format(
      "<p>No removal rests on an estimate: all features of every removed {} were compared with "
      "those "
      "of the kept {}. What can happen is that a pair is never looked at. Of each {}, {} features "
      "that a hash picks are looked up in all others. Two {} are compared when one has {} of the "
      "other's, or enough of all features of a smaller one; the upper plot shows how probable that "
      "is, the lower one what was compared in this run.</p>\n",
      noun.one, noun.one, noun.one, anchors.anchors, noun.many, anchors.needed);
  append_figure(
      curve(report),
      fmt::format("A pair exactly at the threshold {} is found with probability {}; "
                  "if its smaller {} has no more than {} features, with certainty.",
                  report.threshold.str(), shown_probability(report.counts.recall_at_threshold),
                  noun.one, anchors.anchors),
      out);
  append_scores(report, "compared exactly", sample_in_words(report), out);
}

}  // namespace

void append_trust(const Report& report, std::string& out) {
  if (report.counts.anchors) {
    append_anchors(report, out);
    return;
  }
  if (report.distance) {
    append_distances(report, out);
    return;
  }
  if (report.schema && report.measure == Measure::kContainment) return append_keys(report, out);
  if (report.schema && !report.counts.config.banding) return append_fields(report, out);
  if (!report.counts.config.banding) {
    append_heading("trust", "What is found, and what was measured", out);
    out +=
        "<p>Every pair of pictures is looked at by two hashes. The few that may be the same "
        "picture "
        "are laid over each other, and the score says how well they agree there; a fifth of the "
        "picture may be covered. Photographs of one scene, and pages or forms of one layout, can "
        "come near: the pictures above are there to judge it by.</p>\n";
    append_scores(report, "laid over each other and drawn",
                  " Pairs far below the threshold are not listed." + sample_in_words(report), out);
    return;
  }
  const Noun noun = noun_of(report);
  const Banding& banding = *report.counts.config.banding;
  append_heading("trust", "What the bands find, and what was measured", out);
  out += fmt::format(
      "<p>No removal rests on an estimate: of {} all features were compared with those of the kept "
      "{}{}. "
      "What can happen is that a pair is never looked at. Two {} are compared when at least one of "
      "{} of {} slots of their signatures is equal; the upper plot shows how probable that is, the "
      "lower one what was compared in this run.{}</p>\n",
      different_removals(report), noun.one,
      report.schema ? ""
                    : fmt::format(", and equal {} are told by a 128-bit fingerprint of all their "
                                  "features",
                                  noun.many),
      noun.many, counted(static_cast<std::uint64_t>(banding.bands), "band", "bands"), banding.rows,
      missed_sentence(report));
  append_figure(
      curve(report),
      fmt::format("A pair exactly at the threshold {} is found with probability {}.",
                  report.threshold.str(), shown_probability(report.counts.recall_at_threshold)),
      out);
  append_scores(
      report, "compared exactly",
      fmt::format(" Candidates whose signatures are far apart are dropped before that, so "
                  "there are few pairs far below the threshold.{}{}",
                  report.clustering == Clustering::kLeader && !report.schema
                      ? " In large clusters only the comparisons that decide were made."
                      : "",
                  sample_in_words(report)),
      out);
}

void append_sources(const Report& report, std::string& out) {
  append_heading("where", "Where the duplicates are", out);
  out += fmt::format(
      "<table>\n<caption>{0} by source, in input order</caption>\n<thead><tr>"
      "<th scope=\"col\">Source</th><th scope=\"col\" class=\"number\">{0}</th>",
      noun_of(report).title);
  out +=
      "<th scope=\"col\" class=\"number\">Removed</th><th scope=\"col\" class=\"number\">Share</th>"
      "<th scope=\"col\" class=\"bars\"><span class=\"quiet\">of the "
      "source</span></th></tr></thead>"
      "\n<tbody>\n";
  append_source_rows(report, true, out);
  if (report.more_references > 0)
    append_source_row(counted(report.more_references, "more reference, which causes",
                              "more references, which cause") +
                          " the fewest removals",
                      report.rest_of_references, out);
  append_source_rows(report, false, out);
  if (report.more_sources > 0)
    append_source_row(
        counted(report.more_sources, "more source, which loses", "more sources, which lose") +
            " least",
        report.rest, out);
  out += "</tbody>\n</table>\n";
  append_matrix(report, out);
}

void append_sizes(const Report& report, std::string& out) {
  const Noun noun = noun_of(report);
  append_heading("sizes", "Cluster sizes", out);
  if (report.sizes.empty()) {
    out += fmt::format("<p>There are no clusters: nothing was removed because of another {}.</p>\n",
                       noun.one);
    return;
  }
  plot::Frame frame;
  plot::Bars bars{"clusters", {}, plot::Colour::kFirst};
  std::vector<std::string> names;
  double most = 9;
  for (const Report::SizeBin& bin : report.sizes) {
    names.push_back(bin.from == bin.to
                        ? with_separators(bin.from)
                        : fmt::format("{}\u2013{}",
                                      plot::short_number(static_cast<double>(bin.from)),
                                      plot::short_number(static_cast<double>(bin.to))));
    bars.values.push_back(static_cast<double>(bin.clusters));
    most = std::max(most, bars.values.back());
  }
  frame.title = "Clusters by size";
  frame.x.title = fmt::format("{} in the cluster", noun.many);
  frame.y = {"clusters, on a logarithmic scale", 0, most * 2, true};
  append_figure(
      plot::categories(frame, names, {bars}),
      fmt::format("A cluster is a kept {} with all that were removed because of it.", noun.one),
      out);
  out += fmt::format(
      "<details><summary>The same as a table</summary><div class=\"inside\"><table>\n"
      "<caption>Clusters by number of {}</caption>\n<thead><tr><th scope=\"col\">{}",
      noun.many, noun.title);
  out +=
      "</th><th scope=\"col\" class=\"number\">Clusters</th><th scope=\"col\" class=\"number\">"
      "Removed in them</th></tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < report.sizes.size(); ++i)
    out += fmt::format(
        "<tr><th scope=\"row\">{}</th><td class=\"number\">{}</td><td class=\"number\">{}</td></tr>"
        "\n",
        names[i], with_separators(report.sizes[i].clusters),
        with_separators(report.sizes[i].removed));
  out += "</tbody>\n</table></div></details>\n";
}

}  // namespace benzer::report
