// Counts requests, and prints the counts in Prometheus' text format.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "benzer/index.h"

namespace benzer::server {

// Thread-safe.
class Metrics {
 public:
  // routes: the number of routes. A request that matches no route has the number -1.
  explicit Metrics(std::size_t routes);

  void count_request(int route, int status, double seconds);
  void count_query(const SimilarCounts& counts);
  void count_documents(std::uint64_t written) { documents_ += written; }

  // name(route) is the label of a route.
  void print(std::string& out, std::string_view (*name)(std::size_t route)) const;

 private:
  static constexpr std::array<double, 12> kBounds = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
                                                     0.05,   0.1,   0.25,   0.5,   1,    5};
  struct OfRoute {
    std::array<std::atomic<std::uint64_t>, 6> by_status{};  // by its first digit
    std::array<std::atomic<std::uint64_t>, kBounds.size() + 1> by_time{};
    std::atomic<std::uint64_t> microseconds{0};
  };
  std::size_t routes_;
  std::unique_ptr<OfRoute[]> of_routes_;  // the last one is for requests that match no route
  std::atomic<std::uint64_t> documents_{0}, queries_{0}, candidates_{0}, compared_{0}, similar_{0};
};

// Prints the type and help of a metric in Prometheus' text format. The caller appends its rows:
// NAME{label="x"} 1, or NAME 1.
void print_metric(std::string& out, std::string_view name, std::string_view type,
                  std::string_view help);

}  // namespace benzer::server
