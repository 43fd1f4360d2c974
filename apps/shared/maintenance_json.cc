#include "maintenance_json.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "json.h"

namespace benzer::apps {

std::string time_text(std::int64_t seconds_since_1970) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time_t{seconds_since_1970}));
}

std::string maintenance_json(const std::optional<MaintenanceProblem>& problem,
                             const Spelling& spelling) {
  if (!problem) return "null";
  JsonObject json;
  return json.add("at", time_text(problem->at))
      .add("problem", problem->error().sentence().spelled(spelling))
      .str();
}

}  // namespace benzer::apps
