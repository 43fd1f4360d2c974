// Says which pages of other servers may send requests from a browser (CORS).
//
// Source: the Fetch standard, "HTTP extensions", https://fetch.spec.whatwg.org/#http-extensions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http.h"

namespace benzer::server {

class AllowedOrigins {
 public:
  AllowedOrigins() = default;
  // Each as browsers send it: "https://tools.example:8443", or "*" for all. Throws
  // Error(kInvalidArgument).
  explicit AllowedOrigins(std::vector<std::string> origins);

  bool has_all() const noexcept { return has_all_; }
  bool allow(std::string_view origin) const;
  // The headers of every answer to the request.
  std::vector<std::pair<std::string, std::string>> headers(const Request& request) const;
  // The answer to a browser that asks, before a request, whether the page may send it (a
  // preflight); nothing if it is another request, or the page may not.
  std::optional<Response> preflight(const Request& request) const;

 private:
  std::vector<std::string> origins_;
  bool has_all_ = false;
};

}  // namespace benzer::server
