#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "benzer/audit.h"

#include "../shared/index_settings.h"
#include "../shared/json.h"
#include "../shared/settings.h"
#include "commands.h"
#include "corpus_run.h"
#include "index_run.h"
#include "signals.h"

namespace benzer::cli {
namespace {

constexpr std::size_t kShownMisses = 5;
constexpr int kBarWidth = 23;

struct AuditReport {
  std::string config;  // of an index: its schema
  Threshold threshold = Threshold::parse("0.8");
  std::uint64_t seed = 0;
  AuditFigures figures;
  std::vector<std::string> inputs;
  int threads = 1;

  // The most similar of the missed pairs, in descending order of score.
  struct Missed {
    std::string a_json, b_json;  // ids
    double score = 0;
  };
  std::vector<Missed> missed;

  struct Files {
    std::vector<std::string> against;
    std::string by;  // empty: no groups
    std::uint64_t references = 0, short_documents = 0, skipped = 0;
  };
  std::optional<Files> files;
  std::string score_rule;  // of an index

  std::uint64_t references() const { return files ? files->references : 0; }
  std::uint64_t skipped() const { return files ? files->skipped : 0; }
};

// Keeps the most similar of the pairs that a run misses.
template <class Pair>
class MissedPairs {
 public:
  void add(const Pair& pair) {
    const auto before = [](const Pair& x, const Pair& y) {
      if (x.score != y.score) return x.score > y.score;
      return x.a != y.a ? x.a < y.a : x.b < y.b;
    };
    pairs_.insert(std::upper_bound(pairs_.begin(), pairs_.end(), pair, before), pair);
    if (pairs_.size() > kShownMisses) pairs_.pop_back();
  }
  const std::vector<Pair>& pairs() const noexcept { return pairs_; }

 private:
  std::vector<Pair> pairs_;
};

// Prints four decimals. A share below 1 is printed as 0.9999 at most, so that 1.0000 means all.
std::string share(double value) {
  return fmt::format("{:.4f}", value < 1 ? std::min(value, 0.9999) : value);
}

std::string interval(const Share& of) {
  // The sample has all documents, so the share has no sampling error.
  if (of.low == of.high) return "exactly: every document was drawn";
  return fmt::format("95 %: {} to {}", share(of.low), share(of.high));
}

std::string in_percent(double value) { return fmt::format("{:.1f}", value * 100); }

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
  const AuditFigures& figures = report.figures;
  JsonArray missed;
  for (const AuditReport::Missed& pair : report.missed) {
    JsonObject row;
    missed.raw(row.raw("a", pair.a_json).raw("b", pair.b_json).add("score", pair.score).str());
  }
  JsonObject out;
  out.add("command", "audit").add(report.files ? "config" : "schema", report.config);
  out.add("threshold", report.threshold.str());
  if (!report.files) out.add("score", report.score_rule);
  out.add("recall_at_threshold", figures.recall_at_threshold);
  out.add("inputs", std::span<const std::string>(report.inputs));
  if (report.files) {
    out.add("against", std::span<const std::string>(report.files->against));
    out.add_or_null("by", report.files->by);
  }
  out.add("documents", figures.documents);
  if (report.files) out.add("references", report.files->references);
  out.add("empty", figures.empty);
  if (report.files)
    out.add("short", report.files->short_documents).add("skipped", report.files->skipped);
  out.add("taking_part", figures.taking_part).add("sample", figures.sampled);
  out.add("seed", report.seed);
  out.raw("all", json(figures.all)).raw("different", json(figures.different));
  out.add("equal_pairs", figures.equal_pairs);
  out.raw("ranges", json(figures.ranges, true)).raw("below", json(figures.below, false));
  out.raw("missed", missed.str());
  out.add("with_similar", figures.with_similar).raw("similar_share", json(figures.similar_share));
  out.add("threads", report.threads);
  add_cost(out);
  return out.str() + "\n";
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

void append_ranges(std::string& out, const AuditFigures& result) {
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
    out += fmt::format("  {:.4f}  {}  {}\n", pair.score, printable(pair.a_json),
                       printable(pair.b_json));
}

// Sums up the result in one sentence.
std::string headline(const AuditReport& report) {
  const AuditFigures& result = report.figures;
  const std::string threshold = report.threshold.str();
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
  const AuditFigures& result = report.figures;
  std::string out = headline(report);
  append_figure(out, report.files ? "configuration" : "schema", report.config);
  if (result.sampled == 0) return out;
  append_figure(
      out, "sample",
      fmt::format("{} of {} with features, each compared with all", with_separators(result.sampled),
                  report.references() > 0 ? counted(result.taking_part, "document or reference",
                                                    "documents and references")
                                          : counted(result.taking_part, "document", "documents")));
  const Recall& different = result.different;
  if (different.pairs > 0) {
    append_figure(
        out, "different",
        fmt::format("{} of {} of different documents found", with_separators(different.found),
                    counted(different.pairs, "pair", "pairs")));
    append_figure(out, "",
                  fmt::format("recall {} ({}); predicted {}", share(different.share.value),
                              interval(different.share), share(different.predicted)));
  }
  if (result.equal_pairs > 0)
    append_figure(out, "equal",
                  fmt::format("{} of equal documents, always found",
                              counted(result.equal_pairs, "pair", "pairs")));
  const Share& similar = result.similar_share;
  const std::string range =
      similar.low == similar.high
          ? ""
          : fmt::format(" (95 %: {} to {} %)", in_percent(similar.low), in_percent(similar.high));
  append_figure(out, "documents",
                fmt::format("{} % have a similar one{}; the others have none",
                            in_percent(similar.value), range));
  if (result.empty > 0)
    append_figure(out, "empty",
                  fmt::format("{} without features: similar to nothing",
                              counted(result.empty, "document", "documents")));
  if (const std::uint64_t skipped = report.skipped(); skipped > 0)
    append_figure(out, "skipped", counted(skipped, "line or file", "lines or files"));
  const Cost cost = cost_so_far();
  append_figure(
      out, "cost",
      fmt::format("{:.2f} s, {:.2f} s of CPU on {}, {:.0f} MB of memory", cost.seconds,
                  cost.cpu_seconds,
                  counted(static_cast<std::uint64_t>(report.threads), "thread", "threads"),
                  static_cast<double>(cost.peak_rss_bytes) / 1e6));
  append_ranges(out, result);
  append_below(out, report);
  append_missed(out, report);
  return out;
}

int print(CommandRun& run, const Options& options, const AuditReport& report) {
  run.check_stop();
  run.line().erase();
  run.messages().end_of_problems();
  print_result(options.json ? json(report) : text(report));
  return report.skipped() > 0 ? kSomeSkipped : kDone;
}

int audit_index(const Options& options) {
  const Index index = open_to_read(options, stop_flag());
  IndexRun run(options);
  IndexAuditOptions audit_options;
  static_cast<WholeIndexOptions&>(audit_options) = run.question();
  audit_options.sample = read_sample(options);
  audit_options.seed = read_config(options).features.seed;
  struct Ids {
    std::string a, b;
    double score;
  };
  MissedPairs<Ids> missed;
  audit_options.pairs = [&](const ScoredIds& pair, bool found) {
    if (!found) missed.add({std::string(pair.a), std::string(pair.b), pair.score});
  };

  AuditReport report;
  report.figures = audit(index, audit_options);
  report.config = index.schema().str();
  report.threshold = audit_options.threshold.value_or(index.schema().min_threshold);
  report.seed = audit_options.seed;
  report.inputs = {index_name(options)};
  report.threads = run.threads();
  report.score_rule = options.score.value_or("mean");
  for (const Ids& pair : missed.pairs())
    report.missed.push_back({json_string(pair.a), json_string(pair.b), pair.score});
  return print(run, options, report);
}

int audit_files(const Options& options) {
  AuditOptions audit_options;
  static_cast<SimilarityOptions&>(audit_options) = similarity_options(options);
  audit_options.sample = read_sample(options);
  audit_options.seed = audit_options.config.features.seed;
  MissedPairs<ScoredPair> missed;
  audit_options.pairs = [&](const ScoredPair& pair, bool found) {
    if (!found) missed.add(pair);
  };

  CorpusRun run(options);
  run.connect(audit_options);
  const AuditResult result = audit(run.corpus(), audit_options);
  AuditReport report;
  report.figures = result;
  report.config = result.config.str();
  report.threshold = audit_options.threshold;
  report.seed = audit_options.seed;
  report.inputs = options.inputs;
  report.threads = run.threads();
  report.files = {options.against, options.by.value_or(""), result.references,
                  result.short_documents, run.corpus().counts().skipped};
  for (const ScoredPair& pair : missed.pairs())
    report.missed.push_back(
        {run.corpus().label(pair.a).id_json, run.corpus().label(pair.b).id_json, pair.score});
  return print(run, options, report);
}

}  // namespace

int run_audit(const Options& options) {
  return names_index(options) ? audit_index(options) : audit_files(options);
}

}  // namespace benzer::cli
