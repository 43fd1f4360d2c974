// Admits or refuses requests, runs their routes, and turns errors into problem documents. The
// routes are in routes.h.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "allowed_origins.h"
#include "core_shares.h"
#include "http.h"
#include "keys.h"
#include "metrics.h"
#include "problem.h"
#include "rate_limit.h"
#include "remembered_answers.h"
#include "served_indexes.h"
#include "server_folder.h"
#include "task_reports.h"
#include "tasks.h"

namespace benzer::server {

struct ApiLimits {
  std::uint64_t body_bytes = std::uint64_t{8} << 20;  // of most requests, and of a line
  std::uint64_t bulk_bytes = std::uint64_t{1} << 30;  // of a request with many documents
  std::size_t bulk_lines = 1'000'000;
  std::size_t batch = 1'000;                         // queries in a request
  std::size_t ids = 10'000;                          // in a request
  std::size_t matches = 1'000;                       // for one query
  std::size_t all_matches = 100'000;                 // queries times the limit of each
  std::size_t rows = 100'000;                        // pairs or clusters in one answer
  std::size_t answer_bytes = std::size_t{64} << 20;  // of the matches, pairs or clusters
  std::size_t refused_lines = 10'000;                // in a request with many documents
  double requests_per_second = 0;                    // of each key, or address; 0: no limit
};

struct Route;

class Api {
 public:
  Api(ServedIndexes& indexes, Keys keys, const ApiLimits& limits, AllowedOrigins origins = {});

  // These do not throw: errors become problem documents.
  Admission admit(Request& request);
  Response handle(Request& request);
  // The answer to bytes that are not a valid request.
  static Response refusal(const Request& request, int status, std::string_view code,
                          std::string_view sentence);
  void answered(const Request& request, int status);
  // Whether the request was one that may change something.
  static bool is_write(const Request& request);
  // Lets /metrics say what the server has to do. Called before the first request.
  void set_load(std::function<ServerLoad()> load) { load_ = std::move(load); }
  ServerLoad load() const { return load_ ? load_() : ServerLoad(); }
  // Takes other keys for the requests that come from now on. Thread-safe.
  void set_keys(Keys keys);
  // Makes the running task end soon, and /readyz say that the server stops.
  void drain();

  ServedIndexes& indexes() noexcept { return indexes_; }
  Tasks& tasks() noexcept { return tasks_; }
  TaskReports& reports() noexcept { return reports_; }
  const ServerFolder& folder() const noexcept { return folder_; }
  // Removes what is kept of an index beside it, which has passages of its documents.
  void forget_index(std::string_view name) {
    forget_reports_of(name);
    answers_.forget_index(name);
  }
  Metrics& metrics() noexcept { return metrics_; }
  CoreShares& cores() noexcept { return cores_; }
  const ApiLimits& limits() const noexcept { return limits_; }
  bool is_draining() const noexcept { return draining_; }

  // Requests that may keep a core busy for long hold a Turn; at most kMostTurns do so at a time. A
  // server has more workers than that, so that other requests need not wait for them.
  static constexpr std::size_t kMostTurns = 3;
  static constexpr std::size_t kMostTurnsOfOne = 2;  // client
  class Turn {
   public:
    Turn(Api& api, const Request& request);  // throws Problem(503)
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    Api& api_;
    std::multiset<std::string>::iterator place_;
  };

 private:
  void forget_reports_of(std::string_view index);
  const Route& admitted(Request& request) const;  // throws Problem
  std::shared_ptr<const Keys> keys() const;
  void check_rate(const Request& request);
  static Response answer(const Request& request, const Problem& problem);

  ServedIndexes& indexes_;
  mutable std::mutex keys_mutex_;
  std::shared_ptr<const Keys> keys_;
  ApiLimits limits_;
  AllowedOrigins origins_;
  Metrics metrics_;
  CoreShares cores_;
  RateLimit rate_;
  ServerFolder folder_;
  TaskReports reports_;
  RememberedAnswers answers_;
  Tasks tasks_;  // after what its work uses
  std::function<ServerLoad()> load_;
  std::mutex turns_mutex_;
  std::multiset<std::string> turns_;  // the clients that have one
  std::atomic<bool> draining_{false};
};

// Calls `work`, and turns what it throws into a problem document.
Response answer_or_problem(const Request& request, const std::function<Response()>& work);

// Returns why the request was told to end: Problem(503) if its time is over or the server stops,
// and Problem(499) if the client has closed the connection.
Problem problem_of_stop(const Request& request);

// Whether the request may see the index of this name.
bool may_see(const Request& request, std::string_view index);
// For whom limits count: the key or, without keys, the address.
const std::string& client_of(const Request& request);
// The index that the path names.
std::shared_ptr<ServedIndex> served_index_of(Api& api, const Request& request);

}  // namespace benzer::server
