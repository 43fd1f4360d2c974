#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "benzer/audit.h"

#include "commands.h"
#include "corpus_run.h"
#include "json.h"
#include "settings.h"

namespace benzer::cli {
namespace {

constexpr std::size_t kShownMisses = 5;
constexpr int kBarWidth = 23;

struct AuditReport {
  AuditOptions options;
  AuditResult result;
  std::vector<AuditedPair> missed;  // the most similar ones, the most similar first
  const FileCorpus* corpus = nullptr;
  std::vector<std::string> inputs, against;
  std::string by;  // empty: no groups
  int threads = 1;

  // Remembers the most similar of the pairs that a run misses.
  void add(const AuditedPair& pair) {
    if (pair.found) return;
    const auto before = [](const AuditedPair& x, const AuditedPair& y) {
      if (x.score != y.score) return x.score > y.score;
      return x.a != y.a ? x.a < y.a : x.b < y.b;
    };
    missed.insert(std::upper_bound(missed.begin(), missed.end(), pair, before), pair);
    if (missed.size() > kShownMisses) missed.pop_back();
  }
};

// Four decimals, rounded away from 1, so that nothing but all of it is printed as 1.
std::string share(double value) {
  return fmt::format("{:.4f}", value < 1 ? std::min(value, 0.9999) : value);
}

std::string interval(const Share& of) {
  // Of a sample that is the whole nothing is left to chance.
  if (of.low == of.high) return "exactly: every document was drawn";
  return fmt::format("95 %: {} to {}", share(of.low), share(of.high));
}

std::string percent(double value) { return fmt::format("{:.1f}", value * 100); }

std::string json(const Share& value) {
  JsonObject out;
  return out.add("value", value.value).add("low", value.low).add("high", value.high).str();
}

std::string json(const Recall& recall) {
  JsonObject out;
  out.add("pairs", recall.pairs).add("found", recall.found);
  if (recall.pairs == 0) {
    out.add_null("recall").add_null("predicted");
  } else {
    out.add("recall", recall.share.value).add("predicted", recall.predicted);
  }
  return out.add("low", recall.share.low).add("high", recall.share.high).str();
}

std::string json(const std::vector<ScoreRange>& ranges, bool with_found) {
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

std::string json(const AuditReport& report) {
  const AuditResult& result = report.result;
  const Cost cost = cost_so_far();
  const InputCounts input = report.corpus->counts();
  JsonArray missed;
  for (const AuditedPair& pair : report.missed) {
    JsonObject row;
    row.raw("a", report.corpus->label(pair.a).id_json);
    row.raw("b", report.corpus->label(pair.b).id_json);
    missed.raw(row.add("score", pair.score).str());
  }
  JsonObject out;
  out.add("command", "audit").add("config", result.config.str());
  out.add("threshold", report.options.threshold.str());
  out.add("recall_at_threshold", result.recall_at_threshold);
  out.add("inputs", std::span<const std::string>(report.inputs));
  out.add("against", std::span<const std::string>(report.against));
  out.add_or_null("by", report.by);
  out.add("documents", result.documents).add("references", result.references);
  out.add("empty", result.empty);
  out.add("short", result.short_documents).add("skipped", input.skipped);
  out.add("taking_part", result.taking_part).add("sample", result.sampled);
  out.add("seed", report.options.seed);
  out.raw("all", json(result.all)).raw("different", json(result.different));
  out.add("equal_pairs", result.equal_pairs);
  out.raw("ranges", json(result.ranges, true)).raw("below", json(result.below, false));
  out.raw("missed", missed.str());
  out.add("with_similar", result.with_similar).raw("similar_share", json(result.similar_share));
  out.add("threads", report.threads).add("seconds", cost.seconds);
  out.add("cpu_seconds", cost.cpu_seconds).add("peak_rss_bytes", cost.peak_rss_bytes);
  return out.str() + "\n";
}

void append_row(std::string& out, std::string_view name, const std::string& text) {
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
  // Neither is drawn as nothing where there is one.
  const int missed = length(pairs - found);
  const int hit = std::max(found > 0 ? 1 : 0, length(pairs) - missed);
  out += fmt::format("  {:<14} {:>9} {:>9} {:>7} {:>9}  {}{}\n", name, with_separators(pairs),
                     with_separators(found),
                     share(static_cast<double>(found) / static_cast<double>(pairs)),
                     share(predicted), std::string(static_cast<std::size_t>(hit), '#'),
                     std::string(static_cast<std::size_t>(missed), '-'));
}

std::string range_name(const ScoreRange& range) {
  // Steps of 0.05 from a threshold of two decimals end at two decimals.
  const double hundredths = range.from * 100;
  const bool two_decimals = std::abs(hundredths - std::round(hundredths)) < 1e-6;
  return two_decimals ? fmt::format("{:.2f} to {:.2f}", range.from, range.to)
                      : fmt::format("{:.4g} to {:.4g}", range.from, range.to);
}

void append_ranges(std::string& out, const AuditResult& result) {
  std::uint64_t most = result.equal_pairs;
  for (const ScoreRange& range : result.ranges) most = std::max(most, range.pairs);
  out += fmt::format("\n  {:<14} {:>9} {:>9} {:>7} {:>9}  {}\n", "score", "pairs", "found",
                     "recall", "predicted", "# found  - missed");
  for (const ScoreRange& range : result.ranges)
    append_range(out, range_name(range), range.pairs, range.found, range.predicted, most);
  if (result.equal_pairs > 0)
    append_range(out, "equal", result.equal_pairs, result.equal_pairs, 1, most);
}

void append_below(std::string& out, const AuditReport& report) {
  if (report.result.below.empty()) return;
  out += fmt::format("\n  Just below {}: not similar, and what a lower threshold would add\n",
                     report.options.threshold.str());
  for (const ScoreRange& range : report.result.below)
    out += fmt::format("  {:<14} {:>9}\n", range_name(range), with_separators(range.pairs));
}

void append_missed(std::string& out, const AuditReport& report) {
  if (report.missed.empty()) return;
  out += "\n  Missed, the most similar ones\n";
  for (const AuditedPair& pair : report.missed)
    out += fmt::format("  {:.4f}  {}  {}\n", pair.score,
                       printable(report.corpus->label(pair.a).id_json),
                       printable(report.corpus->label(pair.b).id_json));
}

// What was found, in one sentence.
std::string headline(const AuditReport& report) {
  const AuditResult& result = report.result;
  const std::string threshold = report.options.threshold.str();
  if (result.sampled == 0)
    return fmt::format("benzer: none of {} has features, so there is nothing to audit\n",
                       counted(result.documents, "document", "documents"));
  const std::string sample = counted(result.sampled, "sampled document", "sampled documents");
  if (result.all.pairs == 0)
    return fmt::format(
        "benzer: {} and all others make no pair at or above {}:\n"
        "recall cannot be measured here; a larger --sample or a lower --threshold may do\n",
        sample, threshold);
  if (result.different.pairs == 0)
    return fmt::format("benzer: the {} of {} are of equal documents,\nwhich no run misses\n",
                       counted(result.all.pairs, "similar pair", "similar pairs"), sample);
  return fmt::format("benzer: a run finds {} of the {} of {}:\nrecall {} at and above {} ({})\n",
                     with_separators(result.all.found),
                     counted(result.all.pairs, "similar pair", "similar pairs"), sample,
                     share(result.all.share.value), threshold, interval(result.all.share));
}

std::string text(const AuditReport& report) {
  const AuditResult& result = report.result;
  std::string out = headline(report);
  append_row(out, "configuration", result.config.str());
  if (result.sampled == 0) return out;
  append_row(
      out, "sample",
      fmt::format("{} of {} with features, each compared with all", with_separators(result.sampled),
                  result.references > 0 ? counted(result.taking_part, "document or reference",
                                                  "documents and references")
                                        : counted(result.taking_part, "document", "documents")));
  const Recall& different = result.different;
  if (different.pairs > 0) {
    append_row(
        out, "different",
        fmt::format("{} of {} of different documents found", with_separators(different.found),
                    counted(different.pairs, "pair", "pairs")));
    append_row(out, "",
               fmt::format("recall {} ({}); predicted {}", share(different.share.value),
                           interval(different.share), share(different.predicted)));
  }
  if (result.equal_pairs > 0)
    append_row(out, "equal",
               fmt::format("{} of equal documents, always found",
                           counted(result.equal_pairs, "pair", "pairs")));
  const Share& similar = result.similar_share;
  const std::string range =
      similar.low == similar.high
          ? ""
          : fmt::format(" (95 %: {} to {} %)", percent(similar.low), percent(similar.high));
  append_row(
      out, "documents",
      fmt::format("{} % have a similar one{}; the others stay", percent(similar.value), range));
  if (result.empty > 0)
    append_row(out, "empty",
               fmt::format("{} without features: similar to nothing",
                           counted(result.empty, "document", "documents")));
  if (const std::uint64_t skipped = report.corpus->counts().skipped; skipped > 0)
    append_row(out, "skipped", counted(skipped, "line or file", "lines or files"));
  const Cost cost = cost_so_far();
  append_row(out, "cost",
             fmt::format("{:.2f} s, {:.2f} s of CPU on {}, {:.0f} MB of memory", cost.seconds,
                         cost.cpu_seconds,
                         counted(static_cast<std::uint64_t>(report.threads), "thread", "threads"),
                         static_cast<double>(cost.peak_rss_bytes) / 1e6));
  append_ranges(out, result);
  append_below(out, report);
  append_missed(out, report);
  return out;
}

}  // namespace

int run_audit(const Options& options) {
  AuditReport report;
  static_cast<SimilarityOptions&>(report.options) = similarity_options(options);
  report.options.sample = read_sample(options);
  report.options.seed = report.options.config.features.seed;
  report.options.pairs = [&](const AuditedPair& pair) { report.add(pair); };

  CorpusRun run(options);
  run.connect(report.options);
  report.corpus = &run.corpus();
  report.inputs = options.inputs;
  report.against = options.against;
  report.by = options.by.value_or("");
  report.threads = run.threads();
  report.result = audit(run.corpus(), report.options);
  run.check_stop();

  run.line().erase();
  run.messages().end_of_problems();
  print_result(options.json ? json(report) : text(report));
  return run.corpus().counts().skipped > 0 ? kSomeSkipped : kDone;
}

}  // namespace benzer::cli
