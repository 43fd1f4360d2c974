#include "http_head.h"

#include <algorithm>

#include <boost/beast/http/fields.hpp>
#include <fmt/format.h>

namespace benzer::server {
namespace {

namespace beast = boost::beast;
namespace http = beast::http;

constexpr std::size_t kLongestId = 64;

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return out;
}

std::string_view trimmed(std::string_view text) {
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }

bool is_id(std::string_view id) {
  return !id.empty() && id.size() <= kLongestId && std::all_of(id.begin(), id.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
}

// Whether this is a valid Host: "localhost", "10.0.0.1:80", "[::1]:80".
bool is_host(std::string_view host) {
  if (const std::size_t colon = host.rfind(':');
      colon != host.npos && host.find(']', colon) == host.npos) {
    if (host.find_first_not_of("0123456789", colon + 1) != host.npos) return false;
    host = host.substr(0, colon);
  }
  std::string_view more = "-._~%";
  if (host.starts_with('[')) {
    if (!host.ends_with(']')) return false;
    host = host.substr(1, host.size() - 2);
    more = ":.";
  }
  return std::all_of(host.begin(), host.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           more.find(c) != more.npos;
  });
}

}  // namespace

bool expects_to_go_on(const http::request_header<>& head) {
  return lower(view(head[http::field::expect])) == "100-continue";
}

Refusal head_too_long(const HttpOptions& options) {
  return {431, "head_too_large",
          fmt::format("the head of the request is longer than {} bytes", options.head_bytes)};
}

std::optional<Refusal> read_head(const http::request_header<>& head, const HttpOptions& options,
                                 Request& request) {
  const auto text = [&](http::field field) { return std::string(view(head[field])); };
  request.method = std::string(view(head.method_string()));
  request.target = std::string(view(head.target()));
  request.host = text(http::field::host);
  request.authorization = text(http::field::authorization);
  request.if_match = text(http::field::if_match);
  request.idempotency_key = std::string(view(head["Idempotency-Key"]));
  if (request.idempotency_key.empty() && head.count("Idempotency-Key") > 0)
    request.idempotency_key = "\"\"";  // an empty one is refused, and none is not
  request.accept = text(http::field::accept);
  request.origin = lower(text(http::field::origin));
  request.fetch_site = lower(view(head["Sec-Fetch-Site"]));
  if (const std::string_view id = view(head["X-Request-Id"]); is_id(id)) request.id = id;
  const std::string_view type = view(head[http::field::content_type]);
  request.content_type = lower(trimmed(type.substr(0, type.find(';'))));
  std::size_t lines = 0,
              bytes = request.method.size() + request.target.size() + 14;  // of the request line
  for (const auto& line : head) {
    ++lines;
    bytes += line.name_string().size() + line.value().size() + 4;
  }
  if (lines > options.header_lines)
    return Refusal{431, "head_too_large",
                   fmt::format("the request has more than {} header lines", options.header_lines)};
  if (bytes > options.head_bytes) return head_too_long(options);
  if (head.version() != 11 && head.version() != 10)
    return Refusal{505, "bad_version", "only HTTP/1.1 and 1.0 are supported"};
  if (head.method() == http::verb::unknown)
    return Refusal{501, "unknown_method", "no such method is known here"};
  const std::size_t hosts = head.count(http::field::host);
  if (hosts > 1 || (hosts == 0 && head.version() == 11) || !is_host(request.host))
    return Refusal{400, "bad_request", "a request has exactly one Host header, with a host in it"};
  if (head.count(http::field::authorization) > 1)
    return Refusal{400, "bad_request", "a request has at most one Authorization header"};
  // With several lengths, a proxy in front may see another end of the request than this server
  // (request smuggling).
  if (head.count(http::field::content_length) > 1 ||
      view(head[http::field::content_length]).find(',') != std::string_view::npos)
    return Refusal{400, "bad_request", "a request has at most one Content-Length"};
  if (head.count(http::field::transfer_encoding) > 0 &&
      (head.count(http::field::transfer_encoding) > 1 ||
       lower(trimmed(view(head[http::field::transfer_encoding]))) != "chunked"))
    return Refusal{501, "bad_transfer_encoding",
                   "the only transfer encoding that is understood is 'chunked'"};
  if (head.count(http::field::transfer_encoding) > 0 && head.version() == 10)
    return Refusal{400, "bad_request", "HTTP/1.0 has no Transfer-Encoding"};
  if (std::string wrong = read_target(request.target, request); !wrong.empty())
    return Refusal{400, "bad_request", std::move(wrong)};
  request.host = lower(request.host);  // host names are case-insensitive
  return std::nullopt;
}

}  // namespace benzer::server
