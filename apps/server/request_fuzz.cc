// Handles any bytes as one request: framing by the HTTP parser, then target, key, route, body and
// answer. Checks that nothing crashes, that every answer is well formed, and that none has the
// status 500.
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include <boost/beast/http.hpp>
#include <simdjson.h>
#include <unistd.h>

#include "api.h"
#include "http_head.h"

namespace {

namespace http = boost::beast::http;
using namespace benzer::server;

// A server's state that lives as long as the process, in a folder of its own.
struct State {
  State()
      : root((std::filesystem::temp_directory_path() /
              ("benzer-request-fuzz-" + std::to_string(::getpid())))
                 .string()) {
    // Constructs simdjson's statics before this one, so that they outlive it: a task may still use
    // them when statics are destroyed.
    if (!simdjson::validate_utf8("", 0)) __builtin_trap();
    std::filesystem::remove_all(root);
    std::filesystem::create_directory(root);
    indexes.emplace(root);
    indexes->create("c", benzer::Schema::parse("text=text:word2 | fss:16"), true, false);
    indexes->create("f", benzer::Schema::parse("t=text:char3 | v=values | fss:16"), false, false);
    api.emplace(*indexes, Keys(), ApiLimits());
  }
  ~State() {
    api.reset();
    indexes.reset();
    std::filesystem::remove_all(root);
  }
  std::string root;
  std::optional<ServedIndexes> indexes;
  std::optional<Api> api;
};

void require(bool holds) {
  if (!holds) __builtin_trap();
}

bool is_json(std::string_view text) {
  simdjson::dom::parser parser;
  return !parser.parse(text.data(), text.size()).error();
}

void check(const Response& response) {
  require(response.status >= 200 && response.status < 600);
  require(response.status != 500);
  if (response.content_type == "application/json" ||
      response.content_type == "application/problem+json")
    require(response.body.empty() || is_json(response.body));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static State state;
  http::request_parser<http::string_body> parser;
  parser.eager(true);
  parser.header_limit(8192);
  boost::system::error_code error;
  parser.put(boost::asio::const_buffer(data, size), error);
  if (error || !parser.is_done()) return 0;
  Request request;
  request.id = "1";
  if (read_head(parser.get(), HttpOptions(), request)) return 0;
  request.host = "localhost";
  request.body = parser.get().body();
  request.start = std::chrono::steady_clock::now();
  Admission admission = state.api->admit(request);
  if (admission.refused) {
    check(*admission.refused);
  } else if (admission.sink) {
    admission.sink->take(request.body);
    check(admission.sink->finish());
  } else {
    check(state.api->handle(request));
  }
  state.api->answered(request, 200);
  return 0;
}
