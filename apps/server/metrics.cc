#include "metrics.h"

#include <algorithm>

#include <fmt/format.h>

namespace benzer::server {

Metrics::Metrics(std::size_t routes)
    : routes_(routes), of_routes_(std::make_unique<OfRoute[]>(routes + 1)) {}

void Metrics::count_request(int route, int status, double seconds) {
  OfRoute& row = of_routes_[route < 0 ? routes_ : static_cast<std::size_t>(route)];
  ++row.by_status[static_cast<std::size_t>(std::clamp(status / 100, 0, 5))];
  const auto place = std::lower_bound(kBounds.begin(), kBounds.end(), seconds) - kBounds.begin();
  ++row.by_time[static_cast<std::size_t>(place)];
  row.microseconds += static_cast<std::uint64_t>(seconds * 1e6);
}

void Metrics::count_query(const SimilarCounts& counts) {
  queries_ += counts.queries;
  candidates_ += counts.candidates;
  compared_ += counts.compared;
  similar_ += counts.similar;
}

void print_metric(std::string& out, std::string_view name, std::string_view type,
                  std::string_view help) {
  out += fmt::format("# HELP benzer_{0} {1}\n# TYPE benzer_{0} {2}\n", name, help, type);
}

void Metrics::print(std::string& out, std::string_view (*name)(std::size_t route)) const {
  print_metric(out, "requests_total", "counter", "Requests that were answered.");
  for (std::size_t route = 0; route <= routes_; ++route)
    for (std::size_t digit = 1; digit < of_routes_[route].by_status.size(); ++digit)
      if (const std::uint64_t count = of_routes_[route].by_status[digit])
        out += fmt::format("benzer_requests_total{{route=\"{}\",status=\"{}xx\"}} {}\n",
                           name(route), digit, count);
  print_metric(out, "request_seconds", "histogram",
               "From the end of a request's head to its answer.");
  for (std::size_t route = 0; route <= routes_; ++route) {
    const OfRoute& row = of_routes_[route];
    std::uint64_t all = 0;
    for (const auto& count : row.by_time) all += count;
    if (all == 0) continue;
    std::uint64_t so_far = 0;
    for (std::size_t i = 0; i < kBounds.size(); ++i)
      out += fmt::format("benzer_request_seconds_bucket{{route=\"{}\",le=\"{}\"}} {}\n",
                         name(route), kBounds[i], so_far += row.by_time[i]);
    out += fmt::format("benzer_request_seconds_bucket{{route=\"{}\",le=\"+Inf\"}} {}\n",
                       name(route), all);
    out += fmt::format("benzer_request_seconds_sum{{route=\"{}\"}} {}\n", name(route),
                       static_cast<double>(row.microseconds) / 1e6);
    out += fmt::format("benzer_request_seconds_count{{route=\"{}\"}} {}\n", name(route), all);
  }
  const auto add = [&](std::string_view metric, std::string_view help, std::uint64_t value) {
    print_metric(out, metric, "counter", help);
    out += fmt::format("benzer_{} {}\n", metric, value);
  };
  add("documents_written_total", "Documents that were added.", documents_);
  add("queries_total", "Documents for which similar ones were searched.", queries_);
  add("candidates_total", "Documents that shared a key with a query.", candidates_);
  add("compared_total", "Candidates that were compared exactly.", compared_);
  add("hits_total", "Candidates that reached the threshold.", similar_);
}

}  // namespace benzer::server
