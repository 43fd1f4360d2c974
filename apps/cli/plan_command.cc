#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "benzer/banding.h"
#include "benzer/error.h"

#include "../shared/json.h"
#include "commands.h"
#include "corpus_forecast.h"
#include "messages.h"
#include "settings.h"

namespace benzer::cli {
namespace {

constexpr int kCurveSteps = 20;  // similarity 0.05, 0.1 .. 1
constexpr int kBarWidth = 50;
// The options of plan without --corpus.
constexpr std::string_view kWithoutCorpus[] = {"--threshold", "--recall", "--sketch", "--slots",
                                               "--docs",      "--json",   "--cpu",    "--help"};
constexpr double kStrangers[] = {0.05, 0.1, 0.2};  // similarities of unrelated documents

struct PlanReport {
  Threshold threshold = Threshold::parse("0.8");
  PlanRequest request;
  Plan plan;
  std::vector<Alternative> alternatives, others;
  std::uint64_t docs = 0;
  std::optional<CorpusForecast> forecast;

  std::uint64_t bytes_per_document() const {
    return benzer::cli::bytes_per_document(plan.banding, request.slots);
  }
  // Expected candidates of one document if all others have this similarity with it.
  double strangers(double similarity) const {
    return static_cast<double>(docs) * plan.banding.candidate_probability(similarity);
  }
};

std::string json(const Alternative& row) {
  JsonObject out;
  out.add("name", row.name).add("bands", row.banding.bands).add("rows", row.banding.rows);
  out.add("slots", row.banding.slots()).add("recall_at_threshold", row.recall_at_threshold);
  return out.add("fits", row.fits).str();
}

std::string json(const PlanReport& report) {
  JsonArray alternatives, others, curve;
  for (const Alternative& row : report.alternatives) alternatives.raw(json(row));
  for (const Alternative& row : report.others) others.raw(json(row));
  for (int i = 1; i <= kCurveSteps; ++i) {
    const double similarity = static_cast<double>(i) / kCurveSteps;
    JsonObject point;
    point.add("similarity", similarity);
    curve.raw(
        point.add("probability", report.plan.banding.candidate_probability(similarity)).str());
  }
  JsonObject out;
  out.add("command", "plan").add("threshold", report.threshold.str());
  out.add("recall", report.request.recall).add("slots", report.request.slots);
  out.add("bands", report.plan.banding.str());
  out.add("recall_at_threshold", report.plan.recall_at_threshold);
  out.raw("alternatives", alternatives.str()).raw("others", others.str()).raw("curve", curve.str());
  if (report.forecast) out.raw("corpus", report.forecast->json());
  if (report.docs > 0 && !report.forecast) {
    JsonArray strangers;
    for (const double similarity : kStrangers) {
      JsonObject row;
      row.add("similarity", similarity);
      strangers.raw(row.add("candidates_per_document", report.strangers(similarity)).str());
    }
    out.add("documents", report.docs).add("bytes_per_document", report.bytes_per_document());
    out.add("bytes", report.docs * report.bytes_per_document()).raw("strangers", strangers.str());
  }
  return out.str() + "\n";
}

void append_choice(std::string& out, const Alternative& row, const std::string& remark) {
  out += fmt::format("  {:<26} {:>10} {:>8} {:>10.4f}  {}\n", row.name,
                     fmt::format("{} x {}", row.banding.bands, row.banding.rows),
                     row.banding.slots(), row.recall_at_threshold, remark);
}

void append_curve(std::string& out, const PlanReport& report) {
  out += "\nThe curve: how often a pair of this similarity is found\n";
  for (int i = 1; i <= kCurveSteps; ++i) {
    const double similarity = static_cast<double>(i) / kCurveSteps;
    const double probability = report.plan.banding.candidate_probability(similarity);
    const auto width = static_cast<std::size_t>(std::lround(probability * kBarWidth));
    const bool at_threshold = std::abs(similarity - report.threshold.value()) < 1e-9;
    out +=
        fmt::format("  {:<5} {:.4f} |{:<{}}|{}\n", fmt::format("{:.2f}", similarity), probability,
                    std::string(width, '#'), kBarWidth, at_threshold ? " threshold" : "");
  }
}

void append_docs(std::string& out, const PlanReport& report) {
  const auto bands = static_cast<std::uint64_t>(report.plan.banding.bands);
  const std::uint64_t each = report.bytes_per_document();
  const double gigabytes = static_cast<double>(report.docs * each) / 1e9;
  out += fmt::format(
      "\nFor {} documents\n"
      "  memory: about {:.2f} GB, {} bytes a document: {} for the keys of {} bands, {} for the "
      "slots "
      "(a byte\n  each), about {} for its records; candidate pairs and reading come on top\n",
      with_separators(report.docs), gigabytes, each, 8 * bands, bands, report.request.slots,
      kRecordBytes);
  out += "  candidates by chance, for each document, if all others resemble it by\n";
  for (const double similarity : kStrangers) {
    const double candidates = report.strangers(similarity);
    out += fmt::format("    {:.2f}: {}\n", similarity,
                       candidates >= 10
                           ? with_separators(static_cast<std::uint64_t>(std::llround(candidates)))
                           : fmt::format("{:.2g}", candidates));
  }
}

std::string text(const PlanReport& report) {
  const Banding& chosen = report.plan.banding;
  std::string out = fmt::format(
      "bands:{}: {} bands of {} rows, {} of {} slots\n"
      "A pair exactly at {} is found with probability {:.4f} (wanted: {}).\n",
      chosen.str(), chosen.bands, chosen.rows, chosen.slots(), report.request.slots,
      report.threshold.str(), report.plan.recall_at_threshold, report.request.recall);

  out += fmt::format("\n  {:<26} {:>10} {:>8} {:>10}\n", "Alternatives", "bands x rows", "slots",
                     fmt::format("found at {}", report.threshold.str()));
  int beyond = 0;
  for (const Alternative& row : report.alternatives) {
    // Of the choices that need more slots, only the next two are shown.
    if (!row.fits && ++beyond > 2) break;
    append_choice(out, row,
                  row.banding == chosen ? "chosen"
                  : row.fits            ? "more candidates by chance"
                                        : "needs more slots");
  }
  out += fmt::format("\n  {:<26}\n", "Rules of other tools");
  for (const Alternative& row : report.others) {
    append_choice(out, row, row.fits ? "" : "needs more slots");
  }
  append_curve(out, report);
  if (report.forecast) {
    out += "\n" + report.forecast->text(chosen);
  } else if (report.docs > 0) {
    append_docs(out, report);
  }
  return out;
}

// Refuses inputs and options about documents, which have no effect without --corpus.
void check_no_corpus(const Options& options) {
  if (!options.inputs.empty())
    refuse("'plan' reads no input unless it is to measure it",
           fmt::format("benzer plan --corpus {}", options.inputs.front()));
  for (const OptionRow& row : option_table()) {
    if (!row.is_given(options) || (row.commands & kPlan) == 0) continue;
    const auto* const known =
        std::find(std::begin(kWithoutCorpus), std::end(kWithoutCorpus), row.long_name());
    if (known == std::end(kWithoutCorpus))
      refuse(fmt::format("{} has no effect without --corpus", row.long_name()),
             "benzer plan --corpus INPUT...");
  }
}

}  // namespace

int run_plan(const Options& options) {
  PlanReport report;
  report.threshold = read_threshold(options, FeatureSpec());
  report.request = {report.threshold.value(), read_recall(options), read_slots(options)};
  report.docs = read_docs(options);
  report.plan = plan(report.request);
  report.alternatives = alternatives(report.request);
  report.others = rules_of_others(report.request);
  if (!options.corpus) {
    check_no_corpus(options);
    print_result(options.json ? json(report) : text(report));
    return kDone;
  }
  std::vector<Alternative> shown;
  for (const Alternative& row : report.alternatives)
    if (row.fits || shown.empty() || shown.back().fits) shown.push_back(row);
  report.forecast.emplace(options, shown);
  print_result(options.json ? json(report) : text(report));
  return report.forecast->skipped() > 0 ? kSomeSkipped : kDone;
}

}  // namespace benzer::cli
