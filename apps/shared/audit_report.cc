#include "audit_report.h"

#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "benzer/internal/score_text.h"
#include "benzer/internal/text.h"

#include "json.h"
#include "printable.h"
#include "settings.h"
#include "summary.h"

namespace benzer::apps {
namespace {

constexpr int kBarWidth = 23;

// A share that was measured, in four decimals: 1.0000 means all, and 0.0000 none.
std::string share(double value) {
  return probability_in_column(value > 0 ? std::max(value, 0.0001) : value);
}

std::string interval(const Share& of) {
  // The sample has all documents, so the share has no sampling error.
  if (of.low == of.high) return "exactly: every document was drawn";
  return fmt::format("95 %: {} to {}", probability_in_column(of.low),
                     probability_in_column(of.high));
}

// "12.3 %". "100.0 %" means all and "0.0 %" none.
std::string in_percent(double value) {
  const double percent = value * 100;
  if (value > 0 && percent < 0.1) return "< 0.1 %";
  if (value < 1 && percent > 99.9) return "> 99.9 %";
  return fmt::format("{:.1f} %", percent);
}

// " (95 %: 12.3 to 13.0 %)". A bound that is not 0 or 1 is rounded outwards there.
std::string interval_in_percent(const Share& of) {
  if (of.low == of.high) return "";
  return fmt::format(" (95 %: {:.1f} to {:.1f} %)",
                     of.low < 1 ? std::min(of.low * 100, 99.9) : 100.0,
                     of.high > 0 ? std::max(of.high * 100, 0.1) : 0.0);
}

std::string json_of(const Recall& recall) {
  JsonObject out;
  out.add("pairs", recall.pairs).add("found", recall.found);
  if (recall.pairs == 0) {
    out.add_null("recall").add_null("predicted");
  } else {
    out.add("recall", recall.share.value).add("predicted", recall.predicted);
  }
  return out.add("low", recall.share.low).add("high", recall.share.high).str();
}

std::string json_of(const std::vector<ScoreRange>& ranges, bool with_found) {
  JsonArray out;
  for (const ScoreRange& range : ranges) {
    JsonObject row;
    row.add("from", range.from).add("to", range.to).add("pairs", range.pairs);
    if (with_found) row.add("found", range.found);
    if (range.pairs == 0) {
      row.add_null("predicted");
    } else {
      row.add("predicted", range.predicted);
    }
    out.raw(row.str());
  }
  return out.str();
}

void append_figure(std::string& out, std::string_view name, const std::string& text) {
  out += fmt::format("  {:<14} {}\n", name, text);
}

void append_range(std::string& out, const std::string& name, std::uint64_t pairs,
                  std::uint64_t found, double predicted, std::uint64_t most) {
  if (pairs == 0) {
    out += fmt::format("  {:<14} {:>9}\n", name, 0);
    return;
  }
  const auto length = [&](std::uint64_t part) {
    if (part == 0) return 0;
    const double width = static_cast<double>(part) / static_cast<double>(most) * kBarWidth;
    return std::max(1, static_cast<int>(std::lround(width)));
  };
  // A part of the bar that stands for at least one pair has at least one character.
  const int missed = length(pairs - found);
  const int hit = std::max(found > 0 ? 1 : 0, length(pairs) - missed);
  out += fmt::format(
      "  {:<14} {:>9} {:>9} {:>7} {:>9}  {}{}\n", name, with_separators(pairs),
      with_separators(found), share(static_cast<double>(found) / static_cast<double>(pairs)),
      probability_in_column(predicted), std::string(static_cast<std::size_t>(hit), '#'),
      std::string(static_cast<std::size_t>(missed), '-'));
}

std::string range_name(const ScoreRange& range) {
  // Steps of 0.05 from a threshold of two decimals end at two decimals.
  const double hundredths = range.from * 100;
  const bool two_decimals = std::abs(hundredths - std::round(hundredths)) < 1e-6;
  return two_decimals ? fmt::format("{:.2f} to {:.2f}", range.from, range.to)
                      : fmt::format("{:.4g} to {:.4g}", range.from, range.to);
}

std::string similar_share_json(const AuditFigures& figures) {
  JsonObject out;
  if (figures.sampled_documents == 0) {
    out.add_null("value");
  } else {
    out.add("value", figures.similar_share.value);
  }
  return out.add("low", figures.similar_share.low).add("high", figures.similar_share.high).str();
}

std::string similar_share_text(const AuditFigures& figures) {
  if (figures.sampled_documents == 0)
    return "only references were drawn, so the share of documents with a similar one is not known";
  return fmt::format("{} have a similar one{}; the others have none",
                     in_percent(figures.similar_share.value),
                     interval_in_percent(figures.similar_share));
}

// Whether equal documents are certain to be found: all of their bands agree, but they may have no
// keys.
bool finds_all_equal(const AuditReport& report) {
  const bool by_keys = !report.files && report.measure == Measure::kContainment;
  return !by_keys && report.figures.equal_found == report.figures.equal_pairs;
}

void append_recall(std::string& out, std::string_view name, std::string_view found,
                   const Recall& recall) {
  append_figure(out, name, std::string(found));
  append_figure(out, "",
                fmt::format("recall {} ({}); predicted {}", share(recall.share.value),
                            interval(recall.share), probability_in_column(recall.predicted)));
}

// Says what is found of pairs of different documents, of equal ones, and by queries.
void append_recalls(std::string& out, const AuditReport& report) {
  const AuditFigures& result = report.figures;
  if (const Recall& different = result.different; different.pairs > 0)
    append_recall(
        out, "different",
        fmt::format("{} of {} of different documents found", with_separators(different.found),
                    counted(different.pairs, "pair", "pairs")),
        different);
  if (result.equal_pairs > 0) {
    const std::string pairs = counted(result.equal_pairs, "pair", "pairs");
    append_figure(out, "equal",
                  finds_all_equal(report)
                      ? fmt::format("{} of equal documents, always found", pairs)
                      : fmt::format("{} of {} of equal documents found; predicted {}",
                                    with_separators(result.equal_found), pairs,
                                    probability_in_column(result.equal_predicted)));
  }
  if (result.queries && result.queries->pairs > 0)
    append_recall(out, "queries",
                  fmt::format("{} of {} found by a query for a sampled document",
                              with_separators(result.queries->found),
                              counted(result.queries->pairs, "match", "matches")),
                  *result.queries);
}

void append_ranges(std::string& out, const AuditFigures& result) {
  std::uint64_t most = result.equal_pairs;
  for (const ScoreRange& range : result.ranges) most = std::max(most, range.pairs);
  out += fmt::format("\n  {:<14} {:>9} {:>9} {:>7} {:>9}  {}\n", "score", "pairs", "found",
                     "recall", "predicted", "# found  - missed");
  for (const ScoreRange& range : result.ranges)
    append_range(out, range_name(range), range.pairs, range.found, range.predicted, most);
  if (result.equal_pairs > 0)
    append_range(out, "equal", result.equal_pairs, result.equal_found, result.equal_predicted,
                 most);
}

void append_below(std::string& out, const AuditReport& report) {
  if (report.figures.below.empty()) return;
  out += fmt::format("\n  Just below {}: not similar, and what a lower threshold would add\n",
                     report.threshold.str());
  for (const ScoreRange& range : report.figures.below)
    out += fmt::format("  {:<14} {:>9}\n", range_name(range), with_separators(range.pairs));
}

void append_missed(std::string& out, const AuditReport& report) {
  if (report.missed.empty()) return;
  out += "\n  Missed, the most similar ones\n";
  for (const AuditReport::Missed& pair : report.missed)
    out += fmt::format("  {}  {}  {}\n", cut_score(pair.score), printable(pair.a_json),
                       printable(pair.b_json));
}

// Sums up the result in one sentence.
std::string headline(const AuditReport& report, const Spelling& spelling) {
  const AuditFigures& result = report.figures;
  const std::string threshold = report.threshold.str();
  if (result.sampled == 0)
    return fmt::format("benzer: none of {} has features, so there is nothing to audit\n",
                       counted(result.documents, "document", "documents"));
  const std::string sample = counted(result.sampled, "sampled document", "sampled documents");
  if (result.all.pairs == 0)
    return fmt::format(
        "benzer: {} and all others make no pair at or above {}:\n"
        "recall cannot be measured here; a larger {} or a lower {} may do\n",
        sample, threshold, spelling.parameter({"sample"}), spelling.parameter({"threshold"}));
  if (result.different.pairs == 0 && finds_all_equal(report))
    return fmt::format("benzer: the {} of {} are of equal documents,\nwhich no run misses\n",
                       counted(result.all.pairs, "similar pair", "similar pairs"), sample);
  return fmt::format("benzer: a run finds {} of the {} of {}:\nrecall {} at and above {} ({})\n",
                     with_separators(result.all.found),
                     counted(result.all.pairs, "similar pair", "similar pairs"), sample,
                     share(result.all.share.value), threshold, interval(result.all.share));
}

}  // namespace

std::string AuditReport::json() const {
  JsonArray shown;
  for (const Missed& pair : missed) {
    JsonObject row;
    shown.raw(row.raw("a", pair.a_json).raw("b", pair.b_json).add("score", pair.score).str());
  }
  JsonObject out;
  out.add("command", "audit").add(files ? "config" : "schema", config);
  if (measure == Measure::kContainment) out.add("measure", name_of(measure));
  out.add("threshold", threshold.str());
  if (!files) out.add("score", score_rule);
  out.add("recall_at_threshold", figures.recall_at_threshold);
  out.add("inputs", std::span<const std::string>(inputs));
  if (files) {
    out.add("against", std::span<const std::string>(files->against));
    out.add_or_null("by", files->by);
  }
  out.add("documents", figures.documents);
  if (files) out.add("references", files->references);
  out.add("empty", figures.empty);
  if (files) out.add("short", files->short_documents).add("skipped", files->skipped);
  out.add("taking_part", figures.taking_part).add("sample", figures.sampled);
  out.add("seed", seed);
  out.raw("all", json_of(figures.all)).raw("different", json_of(figures.different));
  out.add("equal_pairs", figures.equal_pairs).add("equal_found", figures.equal_found);
  if (figures.queries) out.raw("queries", json_of(*figures.queries));
  out.raw("ranges", json_of(figures.ranges, true)).raw("below", json_of(figures.below, false));
  out.raw("missed", shown.str());
  out.add("with_similar", figures.with_similar).raw("similar_share", similar_share_json(figures));
  out.add("threads", threads);
  add_cost(out);
  return out.str() + "\n";
}

std::string AuditReport::text(const Spelling& spelling) const {
  const AuditFigures& result = figures;
  std::string out = headline(*this, spelling);
  append_figure(out, files ? "configuration" : "schema", config);
  if (measure == Measure::kContainment)
    append_figure(out, "measure", std::string(name_of(measure)));
  if (result.sampled == 0) return out;
  append_figure(
      out, "sample",
      fmt::format("{} of {} with features, each compared with all", with_separators(result.sampled),
                  references() > 0 ? counted(result.taking_part, "document or reference",
                                             "documents and references")
                                   : counted(result.taking_part, "document", "documents")));
  append_recalls(out, *this);
  append_figure(out, "documents", similar_share_text(result));
  if (result.empty > 0)
    append_figure(out, "empty",
                  fmt::format("{} without features: similar to nothing",
                              counted(result.empty, "document", "documents")));
  if (const std::uint64_t skipped = this->skipped(); skipped > 0)
    append_figure(out, "skipped", counted(skipped, "line or file", "lines or files"));
  const Cost cost = cost_so_far();
  append_figure(out, "cost",
                fmt::format("{:.2f} s, {:.2f} s of CPU on {}, {:.0f} MB of memory", cost.seconds,
                            cost.cpu_seconds,
                            counted(static_cast<std::uint64_t>(threads), "thread", "threads"),
                            static_cast<double>(cost.peak_rss_bytes) / 1e6));
  append_ranges(out, result);
  append_below(out, *this);
  append_missed(out, *this);
  return out;
}

AuditOptions audit_options(const Options& options) {
  AuditOptions out;
  static_cast<SimilarityOptions&>(out) = similarity_options(options);
  out.sample = read_sample(options);
  out.seed = out.config.features.seed;
  return out;
}

AuditReport report_of(const Options& options, const AuditOptions& asked,
                      const AuditResult& result) {
  AuditReport out;
  out.figures = result;
  out.config = result.anchors ? result.config.features.str() : result.config.str();
  out.measure = asked.measure;
  out.threshold = asked.threshold;
  out.seed = asked.seed;
  out.inputs = options.inputs;
  out.threads = thread_count(options);
  out.files = {options.against, options.by.value_or(""), result.references, result.short_documents,
               0};
  return out;
}

AuditReport audit_documents(const Options& options, Corpus& corpus, AuditOptions asked) {
  MissedPairs<ScoredPair> missed;
  asked.pairs = [&](const ScoredPair& pair, bool found) {
    if (!found) missed.add(pair);
  };
  AuditReport out = report_of(options, asked, audit(corpus, asked));
  for (const ScoredPair& pair : missed.pairs())
    out.missed.push_back({corpus.label(pair.a).id_json, corpus.label(pair.b).id_json, pair.score});
  return out;
}

}  // namespace benzer::apps
