#include "store/redis/redis_url.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "benzer/error.h"

namespace benzer::redis {
namespace {

constexpr std::string_view kForms =
    "give redis://[user:password@]host[:port]/name, rediss://... with TLS, or "
    "redis+cluster://host1[:port],host2[:port]/name";
constexpr std::size_t kLongestName = 64;

struct Scheme {
  std::string_view name;
  bool has_tls, is_cluster;
};
constexpr Scheme kSchemes[] = {{"redis://", false, false},
                               {"rediss://", true, false},
                               {"redis+cluster://", false, true},
                               {"rediss+cluster://", true, true}};

[[noreturn]] void refuse(std::string_view problem) {
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format("the address of the index {}; {}", problem, kForms));
}

std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    unsigned value = 0;
    const char* begin = text.data() + i + 1;
    if (i + 2 >= text.size() || std::from_chars(begin, begin + 2, value, 16).ptr != begin + 2)
      refuse("has a '%' in its user or password that two hexadecimal digits do not follow");
    out += static_cast<char>(value);
    i += 2;
  }
  return out;
}

Address parse_host(std::string_view text) {
  Address out;
  std::string_view port;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) refuse("has a '[' without a ']'");
    out.host = text.substr(1, end - 1);
    port = text.substr(end + 1);
  } else {
    const std::size_t colon = std::min(text.find(':'), text.size());
    out.host = text.substr(0, colon);
    port = text.substr(colon);
  }
  const bool is_plain = std::all_of(out.host.begin(), out.host.end(),
                                    [](unsigned char c) { return c > ' ' && c < 0x7F; });
  if (out.host.empty() || !is_plain) refuse("has no host, or an invalid host name");
  if (port.empty()) return out;
  const char* end = port.data() + port.size();
  const auto read = std::from_chars(port.data() + 1, end, out.port);
  if (port[0] != ':' || read.ec != std::errc() || read.ptr != end || out.port == 0)
    refuse("has something after the host that is not a port from 1 to 65535");
  return out;
}

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= kLongestName &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_' || c == '.' || c == '-';
         });
}

}  // namespace

std::string Address::str() const {
  return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port)
                                             : fmt::format("[{}]:{}", host, port);
}

bool Url::is_url(std::string_view location) noexcept {
  return std::any_of(std::begin(kSchemes), std::end(kSchemes),
                     [&](const Scheme& scheme) { return location.starts_with(scheme.name); });
}

Url Url::parse(std::string_view url) {
  const auto scheme =
      std::find_if(std::begin(kSchemes), std::end(kSchemes),
                   [&](const Scheme& known) { return url.starts_with(known.name); });
  if (scheme == std::end(kSchemes))
    refuse("does not begin with redis://, rediss://, redis+cluster:// or rediss+cluster://");
  Url out;
  out.has_tls = scheme->has_tls;
  out.is_cluster = scheme->is_cluster;
  std::string_view rest = url.substr(scheme->name.size());
  const std::size_t slash = rest.rfind('/');
  if (slash == std::string_view::npos) refuse("has no name of an index after the host");
  out.store = rest.substr(slash + 1);
  if (!is_name(out.store))
    refuse("must end with the index's name, 1 to 64 letters, digits, '_', '.' and '-'");
  rest = rest.substr(0, slash);
  if (const std::size_t at = rest.rfind('@'); at != std::string_view::npos) {
    const std::string_view who = rest.substr(0, at);
    const std::size_t colon = std::min(who.find(':'), who.size());
    out.user = decoded(who.substr(0, colon));
    if (colon < who.size()) out.password = decoded(who.substr(colon + 1));
    rest.remove_prefix(at + 1);
  }
  for (;;) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    out.hosts.push_back(parse_host(rest.substr(0, comma)));
    if (comma == rest.size()) break;
    rest.remove_prefix(comma + 1);
  }
  if (!out.is_cluster && out.hosts.size() > 1)
    refuse("names several hosts, which only a cluster has");
  return out;
}

std::string Url::str() const {
  const auto scheme =
      std::find_if(std::begin(kSchemes), std::end(kSchemes), [&](const Scheme& known) {
        return known.has_tls == has_tls && known.is_cluster == is_cluster;
      });
  std::string out(scheme->name);
  if (!user.empty()) out += user + "@";
  for (const Address& address : hosts) {
    if (&address != &hosts.front()) out += ',';
    out += address.str();
  }
  return out + "/" + store;
}

}  // namespace benzer::redis
