// Formats a failure of background work in an index, as the command line and the server write it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "benzer/store.h"

namespace benzer::apps {

// "2026-11-22T21:03:00Z"
std::string time_text(std::int64_t seconds_since_1970);

// {"at","problem"}, or null.
std::string maintenance_json(const std::optional<MaintenanceProblem>& problem,
                             const Spelling& spelling = Spelling());

}  // namespace benzer::apps
