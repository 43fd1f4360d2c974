// Estimates for plan --corpus what the plan and its alternatives would cost on the user's
// documents, and describes it to people.
#pragma once

#include <string>

#include "benzer/banding.h"

#include "../shared/plan_json.h"

namespace benzer::cli {

// Reads the inputs, and shows the same progress line as a run.
CorpusForecast forecast_corpus(const Options& options, const PlanReport& report);

std::string forecast_text(const CorpusForecast& report, const Banding& chosen);

}  // namespace benzer::cli
