#include "stats_json.h"

namespace benzer::apps {
namespace {

constexpr std::string_view kGauge = "gauge", kCounter = "counter";

// Reads a member of IndexStats, or of its upkeep.
template <auto member>
StatsRow::Value of(const IndexStats& stats) {
  return stats.*member;
}
template <auto member>
StatsRow::Value of_upkeep(const IndexStats& stats) {
  return (*stats.upkeep).*member;
}

constexpr StatsRow kRows[] = {
    {"documents", of<&IndexStats::documents>, "documents", kGauge, "Documents in an index."},
    {"removed", of<&IndexStats::removed>, "removed_documents", kGauge,
     "Removed documents whose bytes are still in segments."},
    {"segments", of<&IndexStats::segments>, "segments", kGauge, "Segments of an index."},
    {"segment_bytes", of<&IndexStats::segment_bytes>, "segment_bytes", kGauge,
     "Bytes of the segments."},
    {"log_bytes", of<&IndexStats::log_bytes>, "log_bytes", kGauge,
     "Bytes of the log that the next opening reads."},
    {"restart_seconds", of<&IndexStats::restart_seconds>, "restart_seconds", kGauge,
     "Time that the next opening takes, at the rate of the last one."},
    {"torn_bytes", of<&IndexStats::torn_bytes>},
    {"table_bytes", of<&IndexStats::table_bytes>},
    {"key_bytes", of<&IndexStats::key_bytes>},
    {"cut_bytes", of<&IndexStats::cut_bytes>},
    {"feature_bytes", of<&IndexStats::feature_bytes>},
    {"id_bytes", of<&IndexStats::id_bytes>},
    {"servers", of<&IndexStats::servers>},
    {"server_bytes", of<&IndexStats::server_bytes>},
};

constexpr StatsRow kUpkeepRows[] = {
    {"flushes", of_upkeep<&UpkeepStats::flushes>, "flushes_total", kCounter,
     "Segments that were written from memory."},
    {"merges", of_upkeep<&UpkeepStats::merges>, "merges_total", kCounter,
     "Merges of segments that have ended."},
    {"failures", of_upkeep<&UpkeepStats::failures>, "maintenance_failures_total", kCounter,
     "Failed attempts to write or merge segments."},
    {"merges_running", of_upkeep<&UpkeepStats::merges_running>, "merges_running", kGauge,
     "Merges under way."},
    {"merging_bytes", of_upkeep<&UpkeepStats::merging_bytes>, "merging_bytes", kGauge,
     "Bytes of the segments that are being merged."},
    {"stalls", of_upkeep<&UpkeepStats::stalls>, "stalls_total", kCounter,
     "Times that writers waited for flushing or merging to catch up."},
    {"stalled_writers", of_upkeep<&UpkeepStats::stalled_writers>, "stalled_writers", kGauge,
     "Writers that wait for flushing or merging now."},
    {"stall_seconds", of_upkeep<&UpkeepStats::stall_seconds>, "stall_seconds_total", kCounter,
     "Total time of these waits."},
    {"longest_stall_seconds", of_upkeep<&UpkeepStats::longest_stall_seconds>,
     "longest_stall_seconds", kGauge, "The longest of these waits."},
};

}  // namespace

std::span<const StatsRow> stats_rows() noexcept { return kRows; }
std::span<const StatsRow> upkeep_rows() noexcept { return kUpkeepRows; }

std::string number_text(const StatsRow::Value& value) {
  if (const auto* number = std::get_if<std::uint64_t>(&value)) return std::to_string(*number);
  return json_number(std::get<double>(value));
}

void add_numbers(JsonObject& json, const IndexStats& stats) {
  for (const StatsRow& row : kRows) json.raw(row.name, number_text(row.value(stats)));
  if (!stats.upkeep) {
    json.add_null("upkeep");
    return;
  }
  JsonObject upkeep;
  for (const StatsRow& row : kUpkeepRows) upkeep.raw(row.name, number_text(row.value(stats)));
  json.raw("upkeep", upkeep.str());
}

}  // namespace benzer::apps
