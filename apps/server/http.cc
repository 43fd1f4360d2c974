#include "http.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <simdjson.h>

namespace benzer::server {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Decodes once, so that text that was encoded twice stays encoded once. Returns nothing for a '%'
// without two digits, and for a zero byte.
std::optional<std::string> decoded(std::string_view text, bool plus_is_blank) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_blank) {
      out += ' ';
    } else if (text[i] == '%') {
      const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
      if (high < 0 || low < 0 || high + low == 0) return std::nullopt;
      out += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

bool is_utf8(std::string_view text) { return simdjson::validate_utf8(text.data(), text.size()); }

}  // namespace

std::string read_target(std::string_view target, Request& out) {
  if (target.starts_with("http://") || target.starts_with("https://")) {  // the form for proxies
    const std::size_t host = target.find("//") + 2;
    const std::size_t end = std::min(target.find_first_of("/?#", host), target.size());
    out.host = target.substr(host, end - host);
    if (out.host.empty()) return "the target has no host";
    target.remove_prefix(end);
    if (!target.starts_with('/')) return read_target(fmt::format("/{}", target), out);
  }
  if (!target.starts_with('/')) return "the path does not begin with '/'";
  std::string_view path = target.substr(0, target.find('#'));
  std::string_view query;
  if (const std::size_t mark = path.find('?'); mark != path.npos) {
    query = path.substr(mark + 1);
    path = path.substr(0, mark);
  }
  path.remove_prefix(1);
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const auto part = decoded(path.substr(0, slash), false);
    if (!part) return "a '%' in the path is not followed by two hexadecimal digits, or is %00";
    if (!is_utf8(*part)) return "the path is not UTF-8";
    out.path.push_back(*part);
    if (slash == path.npos) break;
    path.remove_prefix(slash + 1);
    if (path.empty()) out.path.emplace_back();  // "/a/" is not "/a"
  }
  while (!query.empty()) {
    const std::size_t end = query.find('&');
    const std::string_view pair = query.substr(0, end);
    const std::size_t equals = pair.find('=');
    const auto name = decoded(pair.substr(0, equals), true);
    const auto value =
        decoded(equals == pair.npos ? std::string_view() : pair.substr(equals + 1), true);
    if (!name || !value)
      return "a '%' in the query is not followed by two hexadecimal digits, or is %00";
    if (!is_utf8(*name) || !is_utf8(*value)) return "the query is not UTF-8";
    if (!name->empty() && !out.query.emplace(*name, *value).second)
      return "the parameter '" + *name + "' is given twice";
    if (end == query.npos) break;
    query.remove_prefix(end + 1);
  }
  return {};
}

}  // namespace benzer::server
