#include <cmath>

#include <fmt/format.h>

#include "benzer/banding.h"
#include "benzer/internal/score_text.h"

#include "../shared/plan_json.h"
#include "commands.h"
#include "corpus_forecast.h"
#include "messages.h"

namespace benzer::cli {
namespace {

constexpr int kBarWidth = 50;

void append_choice(std::string& out, const Alternative& row, const std::string& remark) {
  out += fmt::format("  {:<26} {:>10} {:>8} {:>10}  {}\n", row.name,
                     fmt::format("{} x {}", row.banding.bands, row.banding.rows),
                     row.banding.slots(), shown_probability(row.recall_at_threshold), remark);
}

void append_curve(std::string& out, const PlanReport& report) {
  out += "\nThe curve: how often a pair of this similarity is a candidate\n";
  for (int i = 1; i <= kCurveSteps; ++i) {
    const double similarity = static_cast<double>(i) / kCurveSteps;
    const double probability = report.probability(similarity);
    const auto width = static_cast<std::size_t>(std::lround(probability * kBarWidth));
    const bool at_threshold = std::abs(similarity - report.threshold.value()) < 1e-9;
    out += fmt::format("  {:<5} {} |{:<{}}|{}\n", fmt::format("{:.2f}", similarity),
                       probability_in_column(probability), std::string(width, '#'), kBarWidth,
                       at_threshold ? " threshold" : "");
  }
}

void append_docs(std::string& out, const PlanReport& report) {
  const auto bands = static_cast<std::uint64_t>(report.plan.banding.bands);
  const std::uint64_t each = report.bytes_per_document();
  const double gigabytes = static_cast<double>(report.docs * each) / 1e9;
  out += fmt::format("\nFor {}\n  memory: about {:.2f} GB, {} bytes a document: ",
                     counted(report.docs, "document", "documents"), gigabytes, each);
  if (report.anchors) {
    out += fmt::format(
        "{} for its anchors, about {} for its records;\n"
        "  what joins anchors, and reading, come on top\n",
        8 * report.anchors->anchors,
        each - 8 * static_cast<std::uint64_t>(report.anchors->anchors));
  } else {
    out += fmt::format(
        "{} for the keys of {} bands, {} for the slots "
        "(a byte\n  each), about {} for its records; candidate pairs and reading come on top\n",
        8 * bands, bands, report.request.slots, kRecordBytes);
  }
  out += "  candidates by chance, for each document, if all others resemble it by\n";
  for (const double similarity : kStrangers) {
    const double candidates = report.strangers(similarity);
    out += fmt::format("    {:.2f}: {}\n", similarity,
                       candidates >= 10
                           ? with_separators(static_cast<std::uint64_t>(std::llround(candidates)))
                           : fmt::format("{:.2g}", candidates));
  }
}

std::string anchors_text(const PlanReport& report) {
  const AnchorPlan& chosen = *report.anchors;
  std::string out = fmt::format(
      "{} anchors, of which a candidate has {}\n"
      "A document of which another one contains exactly {} is found with probability {} "
      "(wanted: {}).\n"
      "In an index: keys:{}, a document is stored under {} of its features, or under all if it has "
      "fewer than {}.\n",
      chosen.anchors, chosen.needed, report.threshold.str(),
      shown_probability(chosen.recall_at_threshold), report.request.recall, report.keys->str(),
      report.keys->rate(), report.keys->least);
  append_curve(out, report);
  if (report.docs > 0) append_docs(out, report);
  return out;
}

std::string text(const PlanReport& report) {
  if (report.anchors) return anchors_text(report);
  const Banding& chosen = report.plan.banding;
  std::string out = fmt::format(
      "bands:{}: {} of {}, {} of {} slots\n"
      "A pair exactly at {} is found with probability {} (wanted: {}).\n",
      chosen.str(), counted(chosen.bands, "band", "bands"), counted(chosen.rows, "row", "rows"),
      chosen.slots(), report.request.slots, report.threshold.str(),
      shown_probability(report.plan.recall_at_threshold), report.request.recall);

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
    out += "\n" + forecast_text(*report.forecast, chosen);
  } else if (report.docs > 0) {
    append_docs(out, report);
  }
  return out;
}

}  // namespace

int run_plan(const Options& options) {
  PlanReport report = plan_report(options);
  if (!options.corpus) {
    print_result(options.json ? plan_json(report) : text(report));
    return kDone;
  }
  report.forecast = forecast_corpus(options, report);
  print_result(options.json ? plan_json(report) : text(report));
  return report.forecast->input.skipped > 0 ? kSomeSkipped : kDone;
}

}  // namespace benzer::cli
