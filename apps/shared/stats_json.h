// The numbers of an index, as `benzer stats`, the server's stats and its metrics have them: each is
// one row of a table, so that all three say the same.
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
  // "benzer_NAME" of Prometheus, its type and its help; empty: there is no metric.
  std::string_view metric = {}, type = {}, help = {};
};

// Of every index, and of those with IndexStats::upkeep.
std::span<const StatsRow> stats_rows() noexcept;
std::span<const StatsRow> upkeep_rows() noexcept;

std::string number_text(const StatsRow::Value& value);

// Adds all of them: those of the upkeep as the object "upkeep", which is null where it is absent.
void add_numbers(JsonObject& json, const IndexStats& stats);

}  // namespace benzer::apps
