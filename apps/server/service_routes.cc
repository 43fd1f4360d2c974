// Answers questions about the server itself: its version, limits, health and metrics; and serves
// its web page.
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/runtime.h"

#include "../shared/json.h"
#include "../shared/stats_json.h"
#include "page.h"
#include "routes.h"

namespace benzer::server {
namespace {

std::string_view route_label(std::size_t route) {
  static const std::vector<std::string> labels = [] {
    std::vector<std::string> out;
    for (const Route& one : routes()) out.push_back(fmt::format("{} {}", one.method, one.path));
    out.emplace_back("none");
    return out;
  }();
  return labels[route];
}

// Collects the metrics of all indexes. Each metric has a row for each index.
class IndexMetrics {
 public:
  void add(const ServedIndexes::State& state) {
    const std::string label = fmt::format("index=\"{}\"", state.name);
    std::optional<IndexStats> stats;
    SampledFigures::Known known;
    // An index that is damaged or unreachable lacks some rows. Its other rows, and those of other
    // indexes, are still there.
    const auto try_to = [](const auto& get) {
      try {
        get();
      } catch (const Error&) {
      }
    };
    if (state.served) {
      try_to([&] { stats = state.served->index().stats(); });
      known = state.served->figures().known();
    }
    const std::shared_ptr<const SampleFigures>& figures = known.figures;
    const auto row = [&](std::string_view name, std::string_view type, std::string_view help,
                         const std::string& value) { add_row(name, type, help, label, value); };
    row("index_ready", "gauge", "1: it can be read.", stats && !known.has_failed ? "1" : "0");
    if (state.served)
      row("index_maintenance_failing", "gauge",
          "1: segments cannot be written or merged; stats of the index say why.",
          state.served->index().maintenance_problem() ? "1" : "0");
    const auto add_all = [&](std::span<const StatsRow> of) {
      for (const StatsRow& one : of)
        if (!one.metric.empty())
          row(one.metric, one.type, one.help, number_text(one.value(*stats)));
    };
    if (stats) add_all(stats_rows());
    if (stats && stats->upkeep) add_all(upkeep_rows());
    if (!figures) return;
    for (const SampleFigures::Buckets& size : figures->buckets)
      add_row("buckets", "gauge",
              "Buckets by their number of documents, estimated from 200 documents.",
              fmt::format("{},documents=\"{}-{}\"", label, size.from, size.to),
              fmt::format("{:.0f}", size.buckets));
    row("bucket_largest", "gauge", "Documents in the largest bucket of 200 documents.",
        std::to_string(figures->largest_bucket));
    row("sample_candidates", "gauge", "Candidates of 200 documents.",
        std::to_string(figures->candidates));
    row("sample_hits", "gauge", "Candidates of 200 documents that reach min_threshold.",
        std::to_string(figures->similar));
  }

  void print(std::string& out) const {
    for (const auto& [name, metric] : metrics_) {
      print_metric(out, name, metric.type, metric.help);
      out += metric.rows;
    }
  }

 private:
  struct Metric {
    std::string_view type, help;
    std::string rows;
  };

  void add_row(std::string_view name, std::string_view type, std::string_view help,
               const std::string& labels, const std::string& value) {
    Metric& metric = metrics_.try_emplace(name, Metric{type, help, {}}).first->second;
    metric.rows += fmt::format("benzer_{}{{{}}} {}\n", name, labels, value);
  }

  std::map<std::string_view, Metric> metrics_;  // rows of one metric must follow one another
};

}  // namespace

Response about(Api&, Request& request) {
  if (request.accept.find("text/html") != request.accept.npos)
    return {303, "text/plain", {}, {{"Location", "/ui/"}}};
  JsonObject out;
  out.add("name", "benzer").add("version", version());
  return {200, "application/json", out.str() + "\n"};
}

Response show_page(Api&, Request& request) {
  const auto file = page_file(request.path[1]);
  if (!file) throw Problem(404, "no_such_route", "the page has no such file");
  Response out{200, std::string(file->content_type), std::string(file->bytes)};
  if (file->is_gzip) out.headers.emplace_back("Content-Encoding", "gzip");
  // no-cache, because the names of the files stay the same in another version of the program.
  out.headers.emplace_back("Cache-Control", "no-cache");
  out.headers.emplace_back("Content-Security-Policy", std::string(file->policy));
  out.headers.emplace_back("Referrer-Policy", "no-referrer");
  return out;
}

Response health(Api&, Request&) { return {200, "application/json", "{\"status\":\"alive\"}\n"}; }

// Strangers learn no more than whether it answers.
Response ready(Api& api, Request& request) {
  JsonArray reasons;
  const bool is_ready = !api.is_draining();
  if (!is_ready) reasons.raw("{\"reason\":\"the server is stopping\"}");
  for (const auto& [name, state] : api.indexes().list_unserved()) {
    if (!request.key || !may_see(request, name)) continue;
    // A damaged index does not make the server unready, since the others answer.
    JsonObject one;
    reasons.raw(one.add("index", name).add("reason", state).str());
  }
  JsonObject out;
  out.add("status", is_ready ? "ready" : "stopping").raw("reasons", reasons.str());
  return {is_ready ? 200 : 503, "application/json", out.str() + "\n"};
}

Response show_limits(Api& api, Request&) {
  const ApiLimits& limits = api.limits();
  JsonObject out;
  out.add("body_bytes", limits.body_bytes).add("bulk_bytes", limits.bulk_bytes);
  out.add("bulk_lines", limits.bulk_lines).add("batch", limits.batch).add("ids", limits.ids);
  out.add("matches", limits.matches).add("all_matches", limits.all_matches);
  out.add("answer_bytes", limits.answer_bytes).add("refused_lines", limits.refused_lines);
  out.add("rows", limits.rows).add("requests_per_second", limits.requests_per_second);
  return {200, "application/json", out.str() + "\n"};
}

Response show_key(Api&, Request& request) {
  const Key& key = *request.key;
  JsonObject out;
  out.add("scope", name_of(key.scope)).add_or_null("name", key.name);
  JsonArray indexes;
  for (const std::string& index : key.indexes) indexes.raw(json_string(index));
  out.raw("indexes", key.indexes.empty() ? "null" : indexes.str());
  return {200, "application/json", out.add_or_null("expires", key.expires).str() + "\n"};
}

Response metrics(Api& api, Request& request) {
  std::string out;
  api.metrics().print(out, route_label);
  const ServerLoad load = api.load();
  const auto gauge = [&](std::string_view name, std::string_view help, std::uint64_t value) {
    print_metric(out, name, "gauge", help);
    out += fmt::format("benzer_{} {}\n", name, value);
  };
  gauge("connections", "Connections that are open.", load.connections);
  gauge("held_bytes", "Bytes of bodies and answers that are held.", load.held_bytes);
  gauge("requests_running", "Requests that a worker carries out.", load.running);
  gauge("requests_waiting", "Requests that wait for a worker.", load.waiting);
  IndexMetrics rows;
  for (const ServedIndexes::State& state : api.indexes().list())
    if (may_see(request, state.name)) rows.add(state);
  rows.print(out);
  return {200, "text/plain; version=0.0.4", std::move(out)};
}

}  // namespace benzer::server
