// What a request is and what is answered, without a word of how bytes travel.
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

struct Request {
  std::string id;      // of this request, in its answer and in the log: the client's, or ours
  std::string client;  // its address
  std::string method;  // "GET"
  std::string target;  // as it was sent
  // Of the path, split at '/', each decoded once: "/v1/indexes/a%20b" has three.
  std::vector<std::string> path;
  std::map<std::string, std::string, std::less<>> query;  // decoded
  std::string host;                                       // the header, with a port or without
  std::string authorization;                              // the header, or nothing
  std::string content_type;                               // lower case, without parameters
  std::string accept;                                     // as it was sent
  std::string if_match;
  std::string origin, fetch_site;  // of a page in a browser: where it is from
  std::string body;
  std::chrono::steady_clock::time_point start, deadline;
  int route = -1;  // which one it is; the handler's
  // Set when the connection breaks or ends, be it one side of it, while a worker answers.
  std::shared_ptr<std::atomic<bool>> is_gone = {};
};

struct Response {
  int status = 200;
  std::string content_type = "application/json";
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
  // If it is there, what follows the body: called until it gives nothing, and a while later again
  // when it gives an empty piece. Must be quick, and must not throw.
  std::function<std::optional<std::string>()> more = {};
};

// What takes a body as it comes. Its calls come one after the other, from any thread.
class BodySink {
 public:
  virtual ~BodySink() = default;
  // False: no more is wanted, and the connection is closed behind the answer.
  virtual bool take(std::string_view piece) = 0;
  virtual Response finish() = 0;
};

struct HttpOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;                // 0: any free one
  int threads = 0;                       // 0: one per core
  std::size_t workers = 4;               // threads for what takes long
  std::string tls_certificate, tls_key;  // PEM files; empty: no TLS
  std::uint32_t head_bytes = 8192;
  std::size_t header_lines = 100;
  std::size_t connections = 4096;
  std::size_t waiting = 256;    // requests that wait for a worker
  double head_seconds = 20;     // for the whole head; also how long a connection may idle
  double body_seconds = 20;     // for the body, and a second more for each 1024 bytes that came
  double request_seconds = 60;  // for the answer, once the request is there
  double stop_seconds = 30;     // for requests that are under way when it stops
};

struct Admission {
  std::optional<Response> refused;  // with a body the connection is closed behind it
  std::uint64_t largest_body = 0;
  bool is_slow = false;  // a worker answers it, so that others do not wait
  std::unique_ptr<BodySink> sink = {};
};

// What the server asks; called from many threads. Nothing of it may throw.
struct Handlers {
  // Before the body is read.
  std::function<Admission(Request&)> admit;
  std::function<Response(Request&)> handle;
  // Of the framing: what never becomes a request. Makes it a problem document.
  std::function<Response(const Request&, int status, std::string_view code,
                         std::string_view sentence)>
      refuse;
  // After each answer.
  std::function<void(const Request&, int status, std::uint64_t bytes)> answered;
  // The server begins to stop: what takes long should end.
  std::function<void()> stopping;
};

// Reads `target` into path and query. Empty: it is well formed; else why not.
std::string read_target(std::string_view target, Request& out);

}  // namespace benzer::server
