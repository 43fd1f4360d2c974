#include "benzer/internal/passwords.h"

#include <algorithm>
#include <cstddef>

namespace benzer {
namespace {

constexpr std::string_view kAfterScheme = "://";

bool is_scheme_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+';
}

// Whether it is one of the schemes of Redis, in small or capital letters.
bool is_redis(std::string_view scheme) {
  std::string lower(scheme);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower == "redis" || lower == "rediss" || lower == "redis+cluster" ||
         lower == "rediss+cluster";
}

// Appends what follows the scheme of an address. A password may contain any character, also '@' and
// '/', so the last '@' ends it.
void append_without_password(std::string& out, std::string_view rest) {
  const std::size_t at = rest.rfind('@');
  const std::size_t colon = rest.find(':');
  if (at == rest.npos || colon > at) {
    out += rest;
    return;
  }
  out += rest.substr(0, colon);
  out += rest.substr(colon == 0 ? at + 1 : at);
}

// Where the address ends that follows `before`, and begins `text`.
std::size_t end_of_address(std::string_view before, std::string_view text) {
  const std::size_t blank = std::min(text.find_first_of(" \t\r\n"), text.size());
  if (before.empty() || (before.back() != '\'' && before.back() != '"')) return blank;
  const std::size_t quote = text.find(before.back());
  // A password may contain the quote, too.
  return quote == text.npos ? blank : std::max(blank, quote);
}

}  // namespace

std::string without_password(std::string_view name) {
  const std::size_t end = name.find(kAfterScheme);
  if (end == name.npos || !is_redis(name.substr(0, end))) return std::string(name);
  std::string out(name.substr(0, end + kAfterScheme.size()));
  append_without_password(out, name.substr(out.size()));
  return out;
}

std::string without_passwords(std::string_view text) {
  std::string out;
  std::size_t done = 0;
  for (std::size_t at; (at = text.find(kAfterScheme, done)) != text.npos;) {
    std::size_t begin = at;
    while (begin > done && is_scheme_character(text[begin - 1])) --begin;
    const std::size_t after = at + kAfterScheme.size();
    out += text.substr(done, after - done);
    done = after;
    if (!is_redis(text.substr(begin, at - begin))) continue;
    const std::string_view rest = text.substr(after);
    const std::size_t end = end_of_address(text.substr(0, begin), rest);
    append_without_password(out, rest.substr(0, end));
    done += end;
  }
  return out += text.substr(done);
}

}  // namespace benzer
