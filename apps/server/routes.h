// Declares the table of routes, and the function that each of them calls.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "api.h"

namespace benzer::server {

struct Route {
  enum class Cost {
    kAtOnce,  // on the thread of the connection: takes microseconds, and waits for nothing
    kWork,    // by a worker
    kBulk,    // by a BodySink, which takes the body piece by piece
  };
  std::string_view method;
  std::string_view path;  // "/v1/indexes/{name}"
  // What /openapi.json calls it, and the group that it is in: names of functions and of classes in
  // clients that are generated from it.
  std::string_view name, tag;
  Scope scope;  // kNone: no key is needed
  Cost cost;
  Response (*run)(Api& api, Request& request);  // throws Problem and Error
  std::string_view summary;
  // For /openapi.json: schemas of the body and of the answers, and parameters of the query.
  // "SimilarRequest"; "lines:Document" for a JSON object a line, "lines:Pair+RowsEnd" if the last
  // line is another one; "optional:PlanRequest" if a request without a body means all the defaults.
  std::string_view body = {};
  // "200:Matches"; several are separated by blanks, several forms of one by '|': first the one that
  // generated clients read.
  std::string_view answers = {};
  std::string_view query = {};  // "limit:integer after:string"

  // Whether repeating a request could do something twice, unless it has an Idempotency-Key. Other
  // methods do the same each time.
  constexpr bool takes_idempotency_key() const noexcept {
    return method == "POST" && scope >= Scope::kWrite;
  }
};

// Bytes of documents or decisions in one list. If they are large, it has fewer than were asked for.
inline constexpr std::size_t kListedBytes = std::size_t{16} << 20;

std::span<const Route> routes();
// The routes that match the request's path, those with the most literal parts first. Only routes of
// its method, unless `any_method`.
std::vector<const Route*> routes_of(const Request& request, bool any_method);

// Returns "text", "values" or "image".
std::string_view kind_of(const FeatureSpec& features) noexcept;

// In openapi.cc.
Response openapi(Api& api, Request& request);
// In service_routes.cc.
Response about(Api& api, Request& request);
Response health(Api& api, Request& request);
Response ready(Api& api, Request& request);
Response metrics(Api& api, Request& request);
Response show_limits(Api& api, Request& request);
Response show_key(Api& api, Request& request);
Response show_page(Api& api, Request& request);
// In index_routes.cc.
Response list_indexes(Api& api, Request& request);
Response put_index(Api& api, Request& request);
Response get_index(Api& api, Request& request);
Response delete_index(Api& api, Request& request);
Response index_stats(Api& api, Request& request);
Response similarities(Api& api, Request& request);
// In document_routes.cc.
Response list_documents(Api& api, Request& request);
Response list_any_documents(Api& api, Request& request);
Response put_document(Api& api, Request& request);
Response change_document(Api& api, Request& request);
Response change_any_document(Api& api, Request& request);
Response get_document(Api& api, Request& request);
Response get_any_document(Api& api, Request& request);
Response delete_document(Api& api, Request& request);
Response delete_documents(Api& api, Request& request);
// In search_routes.cc.
Response similar(Api& api, Request& request);
Response similar_batch(Api& api, Request& request);
Response shared_passages(Api& api, Request& request);
Response check_and_add(Api& api, Request& request);
// In compare_route.cc.
Response compare(Api& api, Request& request);
// In whole_routes.cc.
Response list_pairs(Api& api, Request& request);
Response list_clusters(Api& api, Request& request);
Response make_plan(Api& api, Request& request);
// In decision_routes.cc.
Response list_decisions(Api& api, Request& request);
Response add_decision(Api& api, Request& request);
Response get_decision(Api& api, Request& request);
Response put_decision(Api& api, Request& request);
Response delete_decision(Api& api, Request& request);
// In task_routes.cc.
Response start_dedup(Api& api, Request& request);
Response start_verify(Api& api, Request& request);
Response start_compact(Api& api, Request& request);
Response start_snapshot(Api& api, Request& request);
Response list_tasks(Api& api, Request& request);
Response get_task(Api& api, Request& request);
Response cancel_task(Api& api, Request& request);
Response task_events(Api& api, Request& request);
Response task_report(Api& api, Request& request);

}  // namespace benzer::server
