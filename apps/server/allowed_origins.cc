#include "allowed_origins.h"

#include <algorithm>

#include <fmt/format.h>

#include "benzer/error.h"

namespace benzer::server {
namespace {

// "https://host" or "http://host:8080", in lower case: what a browser sends has no path.
bool is_origin(std::string_view text) {
  const std::size_t host = text.starts_with("https://")  ? 8
                           : text.starts_with("http://") ? 7
                                                         : text.npos;
  if (host == text.npos || text.size() == host) return false;
  return std::all_of(text.begin() + static_cast<std::ptrdiff_t>(host), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == ':' ||
           c == '[' || c == ']';
  });
}

}  // namespace

AllowedOrigins::AllowedOrigins(std::vector<std::string> origins) : origins_(std::move(origins)) {
  for (const std::string& one : origins_) {
    has_all_ |= one == "*";
    if (one != "*" && !is_origin(one))
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("'{}' is not an origin as browsers send it", one),
                  "give https://HOST or https://HOST:PORT, in lower case and without a path, or * "
                  "for all");
  }
}

bool AllowedOrigins::allow(std::string_view origin) const {
  return !origin.empty() &&
         (has_all_ || std::find(origins_.begin(), origins_.end(), origin) != origins_.end());
}

std::vector<std::pair<std::string, std::string>> AllowedOrigins::headers(
    const Request& request) const {
  if (origins_.empty()) return {};
  std::vector<std::pair<std::string, std::string>> out = {{"Vary", "Origin"}};
  if (!allow(request.origin)) return out;
  out.emplace_back("Access-Control-Allow-Origin", request.origin);
  out.emplace_back("Access-Control-Expose-Headers",
                   "ETag, Idempotency-Replayed, Location, Retry-After, X-Request-Id");
  return out;
}

// It tells nothing about the path, because it comes without a key.
std::optional<Response> AllowedOrigins::preflight(const Request& request) const {
  if (request.method != "OPTIONS" || !allow(request.origin)) return std::nullopt;
  return Response{204,
                  "text/plain",
                  {},
                  {{"Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, PATCH, DELETE"},
                   {"Access-Control-Allow-Headers",
                    "Authorization, Content-Type, Idempotency-Key, If-Match, X-Request-Id"},
                   {"Access-Control-Max-Age", "600"}}};
}

}  // namespace benzer::server
