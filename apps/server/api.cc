#include "api.h"

#include <algorithm>
#include <new>

#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/runtime.h"

#include "document_sink.h"
#include "routes.h"

namespace benzer::server {
namespace {

// Lists the methods of the path: "GET, HEAD, PUT".
std::string allowed_methods(const Request& request) {
  std::string out;
  for (const Route* one : routes_of(request, true)) {
    if (out.find(one->method) != out.npos) continue;
    out += (out.empty() ? "" : ", ") + std::string(one->method);
    if (one->method == "GET") out += ", HEAD";
  }
  return out;
}

// Whether the host is a name of this machine. Checked if there are no keys: a foreign web page
// could otherwise send requests to a name of its own that resolves to this machine (DNS rebinding).
bool is_local(std::string_view host) {
  if (host.empty() || host.starts_with("[::1]")) return true;
  const std::string_view name = host.substr(0, host.find(':'));
  return name == "localhost" ||
         (name.starts_with("127.") && name.find_first_not_of("0123456789.") == name.npos);
}

// Whether a web page of another server sent the request, which browsers allow without a preflight
// for simple requests; their headers tell. Routes that need no key are exempt, so that links from
// other pages work.
bool is_of_foreign_page(const Request& request, const Route* route) {
  if (route != nullptr && route->scope == Scope::kNone) return false;
  if (request.fetch_site == "cross-site" || request.fetch_site == "same-site") return true;
  return !request.origin.empty() && request.origin != "http://" + request.host &&
         request.origin != "https://" + request.host;
}

bool is_of_one_index(const Route& route) { return route.path.starts_with("/v1/indexes/{name}"); }

// Refuses what the key of the request does not allow.
void check_key(const Request& request, const Route& route) {
  if (request.key->scope < route.scope)
    throw Problem(403, "scope_too_small",
                  fmt::format("this needs a key for '{}', and the key is for '{}'",
                              name_of(route.scope), name_of(request.key->scope)));
  // An index that a key is not for is as if it were not there.
  if (is_of_one_index(route) && !may_see(request, request.path[2]))
    throw Problem(404, "index_not_found",
                  fmt::format("there is no index '{}'", request.path[2].substr(0, 80)))
        .hint("GET /v1/indexes lists all indexes that this key is for.");
}

// Refuses a parameter that the route does not have, so that a misspelt one is not ignored.
void check_query(const Request& request, const Route& route) {
  for (const auto& [name, value] : request.query) {
    // "limit:integer after:string"
    const std::string spelled = fmt::format(" {}:", name);
    if (name.find_first_of(" :") == name.npos &&
        fmt::format(" {}", route.query).find(spelled) != std::string::npos)
      continue;
    throw Problem(422, "unknown_parameter",
                  fmt::format("the parameter '{}' is not known here", name.substr(0, 60)))
        .at(name.substr(0, 60))
        .hint("GET /openapi.json has the parameters of each route.");
  }
}

std::int64_t unix_seconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

Problem problem_of_stop(const Request& request) {
  switch (request.stop->reason()) {
    case RequestStop::Reason::kOutOfTime:
      return Problem(503, "took_too_long", "the answer took longer than a request may take")
          .retry_after(60)
          .hint(
              "Ask for less at a time. For all clusters of an index there is POST .../dedup: a "
              "task may take its time.");
    case RequestStop::Reason::kClientGone:  // it does not get this, but the log and metrics do
      return {499, "client_gone", "the client closed the connection before it was answered"};
    default:
      return problem_of(Error(ErrorCode::kInterrupted, "the server is stopping"));
  }
}

void Api::drain() {
  draining_ = true;
  tasks_.stop();
}

const std::string& client_of(const Request& request) {
  return request.key && !request.key->id.empty() ? request.key->id : request.client;
}

Api::Turn::Turn(Api& api, const Request& request) : api_(api) {
  const std::string& client = client_of(request);
  const std::lock_guard lock(api_.turns_mutex_);
  if (api_.turns_.size() >= kMostTurns || api_.turns_.count(client) >= kMostTurnsOfOne)
    throw Problem(503, "too_busy", "too many requests about whole indexes are running")
        .retry_after(5)
        .hint("Wait, or POST .../dedup: a task waits for its turn.");
  place_ = api_.turns_.insert(client);
}

Api::Turn::~Turn() {
  const std::lock_guard lock(api_.turns_mutex_);
  api_.turns_.erase(place_);
}

Api::Api(ServedIndexes& indexes, Keys keys, const ApiLimits& limits, AllowedOrigins origins)
    : indexes_(indexes),
      keys_(std::make_shared<const Keys>(std::move(keys))),
      limits_(limits),
      origins_(std::move(origins)),
      metrics_(routes().size()),
      rate_(limits.requests_per_second),
      folder_(indexes.root()),
      reports_(folder_.reports()),
      answers_(folder_.database()),
      tasks_(folder_.database()) {
  reports_.sweep();
  forget_reports_of({});
  indexes_.finish_removals([this](std::string_view name) { forget_index(name); });
}

void Api::forget_reports_of(std::string_view index) {
  // Looked at before the tasks, so that a task which is added meanwhile keeps its report.
  std::set<std::string> forgotten = reports_.tasks();
  for (const auto& task : tasks_.list())
    if (task->index() != index) forgotten.erase(task->id());
  for (const std::string& task : forgotten) reports_.remove(task);
}

Response Api::refusal(const Request& request, int status, std::string_view code,
                      std::string_view sentence) {
  Problem problem(status, code, sentence);
  if (status == 503) problem.retry_after(1);
  return problem.response(request);
}

std::shared_ptr<const Keys> Api::keys() const {
  const std::lock_guard lock(keys_mutex_);
  return keys_;
}

void Api::set_keys(Keys keys) {
  auto made = std::make_shared<const Keys>(std::move(keys));
  const std::lock_guard lock(keys_mutex_);
  keys_ = std::move(made);
}

bool may_see(const Request& request, std::string_view index) {
  return !request.key || request.key->is_for(index);
}

const Route& Api::admitted(Request& request) const {
  const auto fitting = routes_of(request, false);
  const Route* route = fitting.empty() ? nullptr : fitting.front();
  const std::shared_ptr<const Keys> keys = this->keys();
  if (keys->empty() && !is_local(request.host))
    throw Problem(421, "wrong_host",
                  "without keys, only requests to this machine's own names are answered")
        .hint("Ask for 127.0.0.1 or localhost, or start the server with --keys.");
  if (keys->empty() && !origins_.allow(request.origin) && is_of_foreign_page(request, route))
    throw Problem(403, "foreign_page",
                  "the request comes from a page of another server, and this server has no keys")
        .hint("Name the page's server with --allow-origin.");
  static const auto everything = std::make_shared<const Key>(Key{.scope = Scope::kAdmin});
  request.key = keys->empty() ? everything : keys->find(request.authorization, unix_seconds());
  // Without a key a client does not learn which routes exist.
  if (!request.key && (route == nullptr || route->scope != Scope::kNone))
    throw Problem(401, "no_valid_key", "this needs a key, and the request has no valid one")
        .hint("Send the header 'Authorization: Bearer KEY'.");
  if (route == nullptr) {
    const std::string methods = allowed_methods(request);
    if (methods.empty())
      throw Problem(404, "no_such_route",
                    fmt::format("there is no '{}' here", request.target.substr(0, 200)))
          .hint("GET /openapi.json has all routes.");
    throw Problem(405, "method_not_allowed",
                  fmt::format("{} is not one of {}, which this path has", request.method, methods));
  }
  request.route = static_cast<int>(route - routes().data());
  if (route->scope != Scope::kNone) check_key(request, *route);
  check_query(request, *route);
  return *route;
}

void Api::check_rate(const Request& request) {
  if (!rate_.is_set()) return;
  const int wait = rate_.wait(client_of(request));
  if (wait > 0)
    throw Problem(429, "too_many_requests",
                  fmt::format("more than {} requests a second came from this client",
                              limits_.requests_per_second))
        .retry_after(wait);
}

Response Api::answer(const Request& request, const Problem& problem) {
  Response out = problem.response(request);
  if (problem.status() == 405) out.headers.emplace_back("Allow", allowed_methods(request));
  return out;
}

Admission Api::admit(Request& request) {
  Admission out;
  out.largest_body = limits_.body_bytes;
  try {
    request.answer_headers = origins_.headers(request);
    if ((out.refused = origins_.preflight(request))) return out;
    const Route& route = admitted(request);
    out.client = client_of(request);
    if (route.scope != Scope::kNone) check_rate(request);
    if (route.cost == Route::Cost::kBulk) {
      out.largest_body = limits_.bulk_bytes;
      out.sink = put_documents(*this, request);
      // The longest line, a batch of lines that is being stored, and one that is gathered.
      out.sink_bytes = 2 * limits_.body_bytes;
    }
    out.is_at_once = route.cost == Route::Cost::kAtOnce;
    // Routes that ask all indexes share the workers of one, because any of these may not answer.
    out.index = is_of_one_index(route) ? request.path[2] : "/all";
  } catch (const Problem& problem) {
    out.refused = answer(request, problem);
  } catch (const std::bad_alloc&) {
    out.refused =
        refusal(request, 503, "out_of_memory", "there is not enough memory for this request");
  }
  return out;
}

Response Api::handle(Request& request) {
  return answer_or_problem(request, [&] {
    throw_if_stopped(&request.stop->flag());
    const Route& route = routes()[static_cast<std::size_t>(request.route)];
    if (request.idempotency_key.empty() || !route.takes_idempotency_key())
      return route.run(*this, request);
    return answers_.once(client_of(request), request, [&] {
      return answer_or_problem(request, [&] { return route.run(*this, request); });
    });
  });
}

bool Api::is_write(const Request& request) {
  return request.route >= 0 &&
         routes()[static_cast<std::size_t>(request.route)].scope >= Scope::kWrite;
}

void Api::answered(const Request& request, int status) {
  const auto time = std::chrono::steady_clock::now() - request.start;
  metrics_.count_request(request.route, status, std::chrono::duration<double>(time).count());
}

Response answer_or_problem(const Request& request, const std::function<Response()>& work) {
  try {
    return work();
  } catch (const Problem& problem) {
    return problem.response(request);
  } catch (const Error& error) {
    const bool was_told = error.code() == ErrorCode::kInterrupted &&
                          request.stop->reason() != RequestStop::Reason::kNone;
    return (was_told ? problem_of_stop(request) : problem_of(error)).response(request);
  } catch (const std::bad_alloc&) {
    return out_of_memory().response(request);
  } catch (const std::exception&) {
    // The message of the exception may have details that clients must not see.
    return Problem(500, "internal", "the server failed to answer this").response(request);
  }
}

std::shared_ptr<ServedIndex> served_index_of(Api& api, const Request& request) {
  return api.indexes().find(request.path[2]);
}

}  // namespace benzer::server
