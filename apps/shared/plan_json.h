// Plans bands as the options ask, and formats the plan and its forecast for a corpus as JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "benzer/audit.h"
#include "benzer/banding.h"
#include "benzer/input.h"
#include "benzer/similarity.h"

#include "options.h"

namespace benzer::apps {

inline constexpr int kCurveSteps = 20;                    // similarity 0.05, 0.1 .. 1
inline constexpr double kStrangers[] = {0.05, 0.1, 0.2};  // similarities of unrelated documents

// Bytes that a run keeps for each document: the keys of its bands, its slots cut to a byte each,
// and kRecordBytes for the rest (numbers, place in the file, label, hash of the feature set).
inline constexpr std::uint64_t kRecordBytes = 80;
// With containment: its anchors, and what its size takes in the table and in memory.
inline std::uint64_t bytes_per_document(const AnchorPlan& plan) {
  return 8 * static_cast<std::uint64_t>(plan.anchors) + 24 + kRecordBytes;
}
inline std::uint64_t bytes_per_document(const Banding& banding, int slots) {
  return 8 * static_cast<std::uint64_t>(banding.bands) + static_cast<std::uint64_t>(slots) +
         kRecordBytes;
}

// What runs on the user's documents would cost.
struct CorpusForecast {
  Forecast forecast;
  InputCounts input;
  std::string features;
  int slots = 0;
  bool has_groups = false;  // only documents of one group are compared

  // Sets all but the forecast itself and has_groups.
  void describe(const ForecastOptions& asked, const InputCounts& counts);
  // Bytes of memory that the run needs.
  double bytes(const RunForecast& run) const;
  std::string json() const;
};

struct PlanReport {
  Threshold threshold = Threshold::parse("0.8");
  PlanRequest request;
  Plan plan;
  std::vector<Alternative> alternatives, others;
  std::uint64_t docs = 0;
  std::optional<CorpusForecast> forecast;
  // With containment: the anchors, in place of `plan` and the lists.
  std::optional<AnchorPlan> anchors = {};
  // With containment: the keys of an index that finds as much.
  std::optional<KeySampling> keys = {};

  std::uint64_t bytes_per_document() const;
  // Probability that a pair of this similarity becomes a candidate.
  double probability(double similarity) const;
  // Expected candidates of one document if all others have this similarity with it.
  double strangers(double similarity) const;
  // The bands of the alternatives that are worth a forecast: those that fit, and the next one.
  std::vector<Banding> forecast_bandings() const;
};

// The plan that the options ask for, without a forecast. Throws Error(kInvalidArgument) also for
// options that have no effect without a corpus if none is to be read, and for a missing input if
// one is.
PlanReport plan_report(const Options& options);

// The options with which a corpus is read and forecast: the plan's slots become a part of the
// sketch.
Options options_to_forecast(const Options& options);
// The settings of a forecast, without progress, stop and problem. options: as
// options_to_forecast() returns them.
ForecastOptions forecast_options(const Options& options);

std::string plan_json(const PlanReport& report);  // one line

}  // namespace benzer::apps
