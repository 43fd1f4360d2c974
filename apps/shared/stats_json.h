// Lists the numbers of an index for `benzer stats`, the server's stats and its metrics. Each number
// is one row of a table, so that all three agree.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "benzer/index.h"

#include "json.h"

namespace benzer::apps {

struct StatsRow {
  using Value = std::variant<std::uint64_t, double>;
  std::string_view name;  // in JSON
  Value (*value)(const IndexStats& stats);
  // "benzer_NAME" of Prometheus, its type and its help; empty if there is no metric.
  std::string_view metric = {}, type = {}, help = {};
};

// The rows of every index, and the further ones of an index with IndexStats::upkeep.
std::span<const StatsRow> stats_rows() noexcept;
std::span<const StatsRow> upkeep_rows() noexcept;

std::string number_text(const StatsRow::Value& value);

// Adds the numbers of all rows. Those of the upkeep are the object "upkeep", null if it is absent.
void add_numbers(JsonObject& json, const IndexStats& stats);

}  // namespace benzer::apps
