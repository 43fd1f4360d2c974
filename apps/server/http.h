// Defines requests, responses and handlers, independent of how bytes are transferred.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace benzer::server {

// Tells whoever answers a request to end. Thread-safe.
class RequestStop {
 public:
  enum class Reason { kNone, kOutOfTime, kClientGone, kServerStops };

  // Only the first reason counts.
  void set(Reason reason) noexcept {
    Reason none = Reason::kNone;
    reason_.compare_exchange_strong(none, reason);
    flag_ = true;
  }
  Reason reason() const noexcept { return reason_; }
  // For the calls of the library, which end with Error(kInterrupted) when it turns true.
  const std::atomic<bool>& flag() const noexcept { return flag_; }

 private:
  std::atomic<Reason> reason_{Reason::kNone};
  std::atomic<bool> flag_{false};
};

struct Key;

struct Request {
  std::string id;      // of this request, in its answer and in the log; the client's own, or ours
  std::string client;  // its address
  std::string method;  // "GET"
  std::string target;  // as it was sent
  // The parts of the path, split at '/', each decoded once: "/v1/indexes/a%20b" has three.
  std::vector<std::string> path;
  std::map<std::string, std::string, std::less<>> query;  // decoded
  std::string host;                                       // the header, with or without a port
  std::string authorization;                              // the header, or empty
  std::string content_type;                               // lower case, without parameters
  std::string accept;                                     // as it was sent
  std::string if_match, idempotency_key;                  // as they were sent
  std::string origin, fetch_site;  // headers by which a browser says which page sent the request
  std::string body;
  std::chrono::steady_clock::time_point start;
  int route = -1;  // number of the route, set by the handler
  // Set by the handler: what the client may do; null if it has no valid key, or needs none.
  std::shared_ptr<const Key> key = {};
  // Set by the handler: headers of every answer to this request.
  std::vector<std::pair<std::string, std::string>> answer_headers = {};
  // Set while a worker answers: when the time is over, when the client closes the connection or
  // only its sending side, when the connection breaks, and when the server stops.
  std::shared_ptr<RequestStop> stop = std::make_shared<RequestStop>();
};

struct Response {
  int status = 200;
  std::string content_type = "application/json";
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
  // If set, returns the pieces that follow the body: called until it returns nothing. After an
  // empty piece it is called again a little later. Must be quick, unless a worker is to call it,
  // and must not throw.
  std::function<std::optional<std::string>()> more = {};
  bool more_takes_long = false;
  // A body in place of `body` when the server has no room for that. Set if the request has changed
  // something, so that its answer must not look like that of a request which was not carried out.
  std::optional<std::string> short_body = {};
};

// Consumes a body piece by piece. Its methods are called one after the other, from any thread.
class BodySink {
 public:
  virtual ~BodySink() = default;
  // Returns false to refuse the rest; the connection is then closed after the answer.
  virtual bool take(std::string_view piece) = 0;
  // After either of these, the sink holds no memory of the body any more.
  virtual Response finish() = 0;
  // Answers in place of finish() if the body did not come to its end. The arguments are those of
  // Handlers::refuse.
  virtual Response refuse(int status, std::string_view code, std::string_view sentence) = 0;
};

struct HttpOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;                // 0: any free one
  int threads = 0;                       // 0: one per core
  std::size_t workers = 6;               // threads that answer, but for what takes no time at all
  std::string tls_certificate, tls_key;  // PEM files; empty: no TLS
  bool allows_tls_12 = false;            // and not 1.3 alone
  std::uint32_t head_bytes = 8192;
  std::size_t header_lines = 100;
  std::size_t connections = 4096;
  std::size_t waiting = 256;  // requests that wait for a worker; half of them for one client
  // Bytes of bodies and answers that all connections hold together; half of them for one client.
  // Those of at most 64 KiB do not count.
  std::uint64_t held_bytes = 536870912;
  double head_seconds = 20;  // for the whole head; also how long a connection may be idle
  // For a body, and for its answer, and a second more for each 64 KiB of it.
  double body_seconds = 20;
  double request_seconds = 60;  // for the answer, once the request has been read
  // For requests that are under way when the server stops. After the first they are told to end.
  double grace_seconds = 5;
  double stop_seconds = 30;
};

// What a server has to do at the moment.
struct ServerLoad {
  std::size_t connections{};
  std::uint64_t held_bytes{};        // of bodies and answers
  std::size_t waiting{}, running{};  // requests that wait for a worker, or have one
};

struct Admission {
  std::optional<Response> refused;  // if the request has a body, the connection is closed after it
  std::uint64_t largest_body = 0;
  // Whether the thread of the connection answers at once, because that takes no time and cannot
  // wait for anything. A worker answers all others.
  bool is_at_once = false;
  // For whom the request counts, and what it is about: one client, or one index, does not get all
  // workers.
  std::string client = {}, index = {};
  std::unique_ptr<BodySink> sink = {};
  std::uint64_t sink_bytes = 0;  // that the sink may hold at a time
};

// Callbacks of the server, called from many threads. None may throw.
struct Handlers {
  // Called before the body is read.
  std::function<Admission(Request&)> admit;
  std::function<Response(Request&)> handle;
  // Called for bytes that are not a valid request; makes a problem document.
  std::function<Response(const Request&, int status, std::string_view code,
                         std::string_view sentence)>
      refuse;
  // Called after each answer.
  std::function<void(const Request&, int status, std::uint64_t bytes)> answered;
  // Called some 20 times a second.
  std::function<void()> now_and_then = {};
  // Called when the server begins to stop, so that slow requests and tasks end.
  std::function<void()> stopping;
};

// Parses `target` into path and query. Returns why it is malformed, or an empty string.
std::string read_target(std::string_view target, Request& out);

}  // namespace benzer::server
