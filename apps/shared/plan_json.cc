#include "plan_json.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "benzer/error.h"

#include "json.h"
#include "settings.h"

namespace benzer::apps {
namespace {

// Memory for each pair that is compared exactly.
constexpr double kPairBytes = 20;

// The options of plan without a corpus.
constexpr std::string_view kWithoutCorpus[] = {"measure", "threshold", "recall", "sketch", "slots",
                                               "docs",    "json",      "cpu",    "help"};

std::string estimate_json(const Estimate& estimate) {
  JsonObject out;
  return out.add("value", estimate.value).add("low", estimate.low).add("high", estimate.high).str();
}

std::string alternative_json(const Alternative& row) {
  JsonObject out;
  out.add("name", row.name).add("bands", row.banding.bands).add("rows", row.banding.rows);
  out.add("slots", row.banding.slots()).add("recall_at_threshold", row.recall_at_threshold);
  return out.add("fits", row.fits).str();
}

// Refuses inputs and options about documents, which have no effect without a corpus.
void check_no_corpus(const Options& options) {
  if (!options.inputs.empty())
    refuse("'plan' reads no input unless it is to measure it",
           fmt::format("benzer plan --corpus {}", options.inputs.front()));
  for (const OptionRow& row : option_table()) {
    if (!row.is_given(options) || (row.commands & kPlan) == 0) continue;
    const auto* const known =
        std::find(std::begin(kWithoutCorpus), std::end(kWithoutCorpus), row.parameter());
    if (known == std::end(kWithoutCorpus))
      refuse(
          words("{} has no effect without {}", {Parameter{row.parameter()}, Parameter{"corpus"}}),
          "benzer plan --corpus INPUT...");
  }
}

}  // namespace

void CorpusForecast::describe(const ForecastOptions& asked, const InputCounts& counts) {
  input = counts;
  features = asked.config.features.str();
  slots = asked.config.sketch.slots;
}

double CorpusForecast::bytes(const RunForecast& run) const {
  const int needed = std::max(slots, run.banding.slots());
  const std::uint64_t documents = forecast.for_documents + forecast.references;
  return static_cast<double>(documents * bytes_per_document(run.banding, needed)) +
         kPairBytes * run.compared.value;
}

std::string CorpusForecast::json() const {
  JsonArray background, runs;
  for (const SimilarityRange& range : forecast.background) {
    JsonObject row;
    background.raw(row.add("from", range.from).add("to", range.to).add("pairs", range.pairs).str());
  }
  for (const RunForecast& run : forecast.runs) {
    JsonObject row;
    row.add("bands", run.banding.bands).add("rows", run.banding.rows);
    row.add("band_collision_rate", run.band_collision_rate);
    row.raw("candidates", estimate_json(run.candidates)).raw("chance", estimate_json(run.chance));
    row.raw("compared", estimate_json(run.compared))
        .raw("read_again", estimate_json(run.read_again));
    row.add("bytes_per_document",
            bytes_per_document(run.banding, std::max(slots, run.banding.slots())));
    runs.raw(row.add("bytes", bytes(run)).str());
  }
  JsonObject out;
  out.add("features", features).add("documents", forecast.documents);
  out.add("references", forecast.references);
  out.add("for_documents", forecast.for_documents).add("empty", forecast.empty);
  out.add("skipped", input.skipped).add("taking_part", forecast.taking_part);
  out.add("distinct_sets", forecast.distinct_sets).add("sample", forecast.sampled);
  out.add("pairs", forecast.pairs).raw("background", background.str());
  return out.raw("similar", estimate_json(forecast.similar)).raw("runs", runs.str()).str();
}

std::uint64_t PlanReport::bytes_per_document() const {
  if (anchors) return apps::bytes_per_document(*anchors);
  return apps::bytes_per_document(plan.banding, request.slots);
}

double PlanReport::probability(double similarity) const {
  return anchors ? anchors->candidate_probability(similarity)
                 : plan.banding.candidate_probability(similarity);
}

double PlanReport::strangers(double similarity) const {
  return static_cast<double>(docs) * probability(similarity);
}

std::vector<Banding> PlanReport::forecast_bandings() const {
  // An alternative that needs more slots than the signature has is forecast with a larger one.
  std::vector<Banding> out;
  for (std::size_t i = 0; i < alternatives.size(); ++i)
    if (alternatives[i].fits || i == 0 || alternatives[i - 1].fits)
      out.push_back(alternatives[i].banding);
  return out;
}

PlanReport plan_report(const Options& options) {
  PlanReport report;
  report.threshold = read_threshold(options, FeatureSpec());
  report.request = {report.threshold.value(), read_recall(options), read_slots(options)};
  report.docs = read_docs(options);
  if (read_measure(options) == Measure::kContainment) {
    check_contained(options);
    if (options.corpus)
      refuse(words("{} forecasts bands, and containment has none", {Parameter{"corpus"}}),
             words("leave out {} or {}", {Parameter{"corpus"}, Parameter{"measure"}}));
    report.anchors = plan_anchors(report.request.threshold, report.request.recall);
    Schema schema;
    schema.measure = Measure::kContainment;
    schema.min_threshold = report.threshold;
    schema.recall = report.request.recall;
    report.keys = schema.completed().keys;
  } else {
    report.plan = plan(report.request);
    report.alternatives = alternatives(report.request);
    report.others = rules_of_others(report.request);
  }
  if (!options.corpus) {
    check_no_corpus(options);
  } else if (options.inputs.empty()) {
    refuse(words("'plan {}' needs an input to measure", {Parameter{"corpus"}}),
           "benzer plan --corpus INPUT...");
  }
  return report;
}

Options options_to_forecast(const Options& options) {
  Options out = options;
  if (options.slots) out.sketch = fmt::format("fss:{}", read_slots(options));
  return out;
}

ForecastOptions forecast_options(const Options& options) {
  ForecastOptions out;
  static_cast<SimilarityOptions&>(out) = similarity_options(options);
  out.sample = read_sample(options);
  out.seed = out.config.features.seed;
  out.documents = read_docs(options);
  return out;
}

std::string plan_json(const PlanReport& report) {
  JsonArray alternatives, others, curve;
  for (const Alternative& row : report.alternatives) alternatives.raw(alternative_json(row));
  for (const Alternative& row : report.others) others.raw(alternative_json(row));
  for (int i = 1; i <= kCurveSteps; ++i) {
    const double similarity = static_cast<double>(i) / kCurveSteps;
    JsonObject point;
    point.add("similarity", similarity);
    curve.raw(point.add("probability", report.probability(similarity)).str());
  }
  JsonObject out;
  out.add("command", "plan");
  if (report.anchors) out.add("measure", name_of(Measure::kContainment));
  out.add("threshold", report.threshold.str()).add("recall", report.request.recall);
  if (report.anchors) {
    out.add("anchors", report.anchors->anchors).add("needed_anchors", report.anchors->needed);
    out.add("recall_at_threshold", report.anchors->recall_at_threshold);
    out.add("keys", report.keys->str());
  } else {
    out.add("slots", report.request.slots).add("bands", report.plan.banding.str());
    out.add("recall_at_threshold", report.plan.recall_at_threshold);
    out.raw("alternatives", alternatives.str()).raw("others", others.str());
  }
  out.raw("curve", curve.str());
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

}  // namespace benzer::apps
