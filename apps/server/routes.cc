#include "routes.h"

#include <algorithm>
#include <array>

namespace benzer::server {
namespace {

using Cost = Route::Cost;
constexpr auto kAnybody = Scope::kNone;
constexpr auto kRead = Scope::kRead;
constexpr auto kWrite = Scope::kWrite;
constexpr auto kAdmin = Scope::kAdmin;
constexpr std::string_view kNoBody;

constexpr std::array kRoutes = {
    Route{"GET", "/", "get_about", "service", kAnybody, Cost::kAtOnce, about,
          "What this is; for browsers, the page", kNoBody, "200:About"},
    Route{"GET", "/healthz", "get_health", "service", kAnybody, Cost::kAtOnce, health,
          "Is the process alive?", kNoBody, "200:Health"},
    Route{"GET", "/readyz", "get_readiness", "service", kAnybody, Cost::kAtOnce, ready,
          "Can it answer? With the reason of every index that cannot", kNoBody,
          "200:Ready 503:Ready"},
    Route{"GET", "/openapi.json", "get_openapi", "service", kAnybody, Cost::kAtOnce, openapi,
          "This description", kNoBody, "200:Anything"},
    Route{"GET", "/ui/", "get_page", "service", kAnybody, Cost::kAtOnce, show_page, "The page",
          kNoBody, "200:html"},
    Route{"GET", "/ui/{file}", "get_page_file", "service", kAnybody, Cost::kAtOnce, show_page,
          "A file of the page", kNoBody, "200:html"},
    Route{"GET", "/metrics", "get_metrics", "service", kRead, Cost::kWork, metrics,
          "Figures, as Prometheus reads them", kNoBody, "200:text"},
    Route{"GET", "/v1/limits", "get_limits", "service", kRead, Cost::kAtOnce, show_limits,
          "What a request may ask for", kNoBody, "200:Limits"},
    Route{"GET", "/v1/key", "get_key", "service", kRead, Cost::kAtOnce, show_key,
          "What the key of the request may do", kNoBody, "200:Key"},

    Route{"GET", "/v1/indexes", "list_indexes", "indexes", kRead, Cost::kWork, list_indexes,
          "The indexes, with their sizes", kNoBody, "200:Indexes"},
    Route{"PUT", "/v1/indexes/{name}", "create_index", "indexes", kAdmin, Cost::kWork, put_index,
          "Make an index; the same request again changes nothing", "optional:NewIndex",
          "200:Index 201:Index"},
    Route{"GET", "/v1/indexes/{name}", "get_index", "indexes", kRead, Cost::kWork, get_index,
          "An index: its schema and size", kNoBody, "200:Index"},
    Route{"DELETE", "/v1/indexes/{name}", "delete_index", "indexes", kAdmin, Cost::kWork,
          delete_index, "Remove an index, with all that is in it", kNoBody, "204:none",
          "confirm:string"},
    Route{"GET", "/v1/indexes/{name}/stats", "get_index_stats", "indexes", kRead, Cost::kWork,
          index_stats, "Where its bytes are, and how full its buckets are", kNoBody, "200:Stats"},
    Route{"GET", "/v1/indexes/{name}/similarities", "sample_similarities", "indexes", kRead,
          Cost::kWork, similarities, "How similar documents drawn at random are to one another",
          kNoBody, "200:Similarities", "documents:integer seed:integer"},

    Route{"GET", "/v1/indexes/{name}/documents", "list_documents", "documents", kRead, Cost::kWork,
          list_documents, "Documents by their ids, in the order of these", kNoBody, "200:Documents",
          "limit:integer after:string"},
    Route{"POST", "/v1/indexes/{name}/documents", "put_documents", "documents", kWrite, Cost::kBulk,
          nullptr, "Put in documents, a JSON object a line or an array",
          "DocumentList|lines:Document",
          "200:Outcomes|lines:Outcome+OutcomesEnd 207:Outcomes|lines:Outcome+OutcomesEnd",
          "make_ids:boolean"},
    Route{"PUT", "/v1/indexes/{name}/documents/{id}", "put_document", "documents", kWrite,
          Cost::kWork, put_document, "Put in one document under this id", "Document",
          "200:Stored 201:Stored"},
    Route{"GET", "/v1/indexes/{name}/documents/{id}", "get_document", "documents", kRead,
          Cost::kWork, get_document, "What the index stores of a document", kNoBody,
          "200:HeldDocument"},
    Route{"PATCH", "/v1/indexes/{name}/documents/{id}", "change_document", "documents", kWrite,
          Cost::kWork, change_document, "Change attributes of a document, without its text",
          "Change", "200:Stored"},
    Route{"DELETE", "/v1/indexes/{name}/documents/{id}", "delete_document", "documents", kWrite,
          Cost::kWork, delete_document, "Remove a document", kNoBody, "204:none"},
    Route{"POST", "/v1/indexes/{name}/documents/delete", "delete_documents", "documents", kWrite,
          Cost::kWork, delete_documents, "Remove documents by their ids", "Ids", "200:Removed"},
    // The same as three routes above, for ids that cannot be in an address.
    Route{"POST", "/v1/indexes/{name}/documents/get", "get_any_document", "documents", kRead,
          Cost::kWork, get_any_document,
          "What the index stores of a document, by its id in the body", "IdRequest",
          "200:HeldDocument"},
    Route{"POST", "/v1/indexes/{name}/documents/list", "list_any_documents", "documents", kRead,
          Cost::kWork, list_any_documents, "Documents by their ids, after one in the body",
          "optional:ListRequest", "200:Documents"},
    Route{"PATCH", "/v1/indexes/{name}/documents", "change_any_document", "documents", kWrite,
          Cost::kWork, change_any_document,
          "Change attributes of a document, by its id in the body", "NamedChange", "200:Stored"},

    Route{"POST", "/v1/indexes/{name}/similar", "find_similar", "search", kRead, Cost::kWork,
          similar, "Documents similar to one", "SimilarRequest", "200:Matches"},
    Route{"POST", "/v1/indexes/{name}/similar/batch", "find_similar_to_each", "search", kRead,
          Cost::kWork, similar_batch, "Documents similar to each of several", "SimilarBatchRequest",
          "200:Results"},
    Route{"POST", "/v1/indexes/{name}/passages", "find_passages", "search", kRead, Cost::kWork,
          shared_passages, "The passages of a text that documents have", "PassagesRequest",
          "200:PassageMatches"},
    Route{"POST", "/v1/indexes/{name}/check-and-add", "check_and_add", "documents", kWrite,
          Cost::kWork, check_and_add, "Put in a document if none is similar, in one step",
          "CheckRequest", "200:Checked 201:Checked"},
    Route{"POST", "/v1/indexes/{name}/compare", "compare", "search", kRead, Cost::kWork, compare,
          "Two documents side by side: how similar, and why", "CompareRequest", "200:Comparison"},
    Route{"POST", "/v1/indexes/{name}/pairs", "find_pairs", "search", kRead, Cost::kWork,
          list_pairs, "All pairs of similar documents", "optional:WholeRequest",
          "200:lines:Pair+RowsEnd"},
    Route{"POST", "/v1/indexes/{name}/clusters", "find_clusters", "search", kRead, Cost::kWork,
          list_clusters, "The clusters of similar documents", "optional:ClustersRequest",
          "200:lines:Cluster+RowsEnd"},
    Route{"POST", "/v1/plan", "make_plan", "plan", kRead, Cost::kWork, make_plan,
          "Bands and rows for a threshold, with what they find and the alternatives",
          "optional:PlanRequest", "200:Plan"},

    Route{"GET", "/v1/indexes/{name}/decisions", "list_decisions", "decisions", kRead, Cost::kWork,
          list_decisions, "What was decided about similar documents, by the ids of the decisions",
          kNoBody, "200:Decisions", "limit:integer after:string"},
    Route{"POST", "/v1/indexes/{name}/decisions", "add_decision", "decisions", kWrite, Cost::kWork,
          add_decision, "Decide: another keeper, or no duplicates", "NewDecision", "201:Decision"},
    Route{"GET", "/v1/indexes/{name}/decisions/{decision}", "get_decision", "decisions", kRead,
          Cost::kWork, get_decision, "One decision, with its ETag", kNoBody, "200:Decision"},
    Route{"PUT", "/v1/indexes/{name}/decisions/{decision}", "change_decision", "decisions", kWrite,
          Cost::kWork, put_decision, "Change a decision, if nothing else has changed it (If-Match)",
          "NewDecision", "200:Decision"},
    Route{"DELETE", "/v1/indexes/{name}/decisions/{decision}", "delete_decision", "decisions",
          kWrite, Cost::kWork, delete_decision, "Withdraw a decision (If-Match)", kNoBody,
          "204:none"},

    Route{"POST", "/v1/indexes/{name}/dedup", "start_dedup", "tasks", kWrite, Cost::kWork,
          start_dedup, "Find all duplicates, and remove them if asked to: a task",
          "optional:DedupRequest", "202:Task"},
    Route{"POST", "/v1/indexes/{name}/verify", "start_verify", "tasks", kAdmin, Cost::kWork,
          start_verify, "Read every byte of an index: a task", "optional:Nothing", "202:Task"},
    Route{"POST", "/v1/indexes/{name}/compact", "start_compact", "tasks", kAdmin, Cost::kWork,
          start_compact, "Free the disk space of removed documents: a task", "optional:Nothing",
          "202:Task"},
    Route{"POST", "/v1/indexes/{name}/snapshot", "start_snapshot", "tasks", kAdmin, Cost::kWork,
          start_snapshot, "Save a snapshot of an index on the server's disk: a task",
          "optional:SnapshotRequest", "202:Task"},
    Route{"GET", "/v1/tasks", "list_tasks", "tasks", kRead, Cost::kWork, list_tasks,
          "The last 100 tasks", kNoBody, "200:Tasks"},
    Route{"GET", "/v1/tasks/{task}", "get_task", "tasks", kRead, Cost::kWork, get_task, "A task",
          kNoBody, "200:Task"},
    Route{"GET", "/v1/tasks/{task}/events", "watch_task", "tasks", kRead, Cost::kAtOnce,
          task_events, "A task, each time that it changes, until it ends", kNoBody, "200:events"},
    Route{"GET", "/v1/tasks/{task}/report", "get_report", "tasks", kRead, Cost::kWork, task_report,
          "What a deduplication found", kNoBody, "200:Report|lines:RemovedDocument+ReportEnd|html",
          "format:string"},
    Route{"POST", "/v1/tasks/{task}/cancel", "cancel_task", "tasks", kWrite, Cost::kWork,
          cancel_task, "End a task early", "optional:Nothing", "200:Task"},
};

// Splits a path at '/', without the first one.
std::vector<std::string_view> pieces(std::string_view path) {
  std::vector<std::string_view> out;
  path.remove_prefix(1);
  if (path.empty()) return out;
  while (true) {
    const std::size_t slash = path.find('/');
    out.push_back(path.substr(0, slash));
    if (slash == path.npos) return out;
    path.remove_prefix(slash + 1);
  }
}

bool is_parameter(std::string_view piece) { return piece.starts_with('{'); }

// Returns how well the path matches the route: the number of literal pieces, or -1 if it does not.
int fit(std::size_t route, const Request& request) {
  static const auto all = [] {
    std::vector<std::vector<std::string_view>> out;
    for (const Route& one : kRoutes) out.push_back(pieces(one.path));
    return out;
  }();
  const auto& wanted = all[route];
  if (wanted.size() != request.path.size()) return -1;
  int same = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] == request.path[i]) {
      ++same;
    } else if (!is_parameter(wanted[i]) || request.path[i].empty()) {
      return -1;
    }
  }
  return same;
}

}  // namespace

std::span<const Route> routes() { return kRoutes; }

std::vector<const Route*> routes_of(const Request& request, bool any_method) {
  std::vector<std::pair<int, const Route*>> found;
  for (std::size_t i = 0; i < kRoutes.size(); ++i) {
    const std::string_view method = kRoutes[i].method;
    const bool is_method =
        method == request.method || (request.method == "HEAD" && method == "GET");
    if (!any_method && !is_method) continue;
    if (const int same = fit(i, request); same >= 0) found.emplace_back(-same, &kRoutes[i]);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<const Route*> out;
  for (const auto& [fit, route] : found) out.push_back(route);
  return out;
}

}  // namespace benzer::server
