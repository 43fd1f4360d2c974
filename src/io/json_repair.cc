#include "io/json_repair.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>

#include <fmt/format.h>
#include <simdjson.h>

#include "benzer/error.h"
#include "benzer/input.h"
#include "benzer/internal/json.h"
#include "benzer/number.h"

#include "io/json_check.h"

namespace benzer {
namespace {

// The code unit of the escape \uXXXX at `at`, or -1.
int escaped_unit(std::string_view text, std::size_t at) {
  if (text.substr(at, 2) != "\\u" || at + 6 > text.size()) return -1;
  int unit = 0;
  const char* end = text.data() + at + 6;
  const auto [stop, error] = std::from_chars(text.data() + at + 2, end, unit, 16);
  return error == std::errc() && stop == end && unit >= 0 && text[at + 2] != '-' ? unit : -1;
}

bool is_high(int unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
bool is_low(int unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

// Appends the escape at `at`, repaired, and returns its length in the text.
std::size_t copy_escape(std::string_view text, std::size_t at, std::string& out, bool& changed) {
  const int unit = escaped_unit(text, at);
  std::size_t length = unit >= 0 ? 6 : 2;
  if (is_low(unit) || is_high(unit)) {
    if (is_high(unit) && is_low(escaped_unit(text, at + 6))) {
      length = 12;
    } else {
      out.append("\\ufffd");
      changed = true;
      return length;
    }
  }
  out.append(text.substr(at, length));
  return length;
}

bool fits_64_bits(std::string_view number) {
  const auto fits = [&](auto value) {
    return std::from_chars(number.data(), number.data() + number.size(), value).ec == std::errc();
  };
  if (number.find_first_of(".eE") != number.npos) return fits(double{});
  return fits(std::int64_t{}) || fits(std::uint64_t{});
}

}  // namespace

bool replace_invalid_text(std::string_view line, std::string& out) {
  std::string valid;
  valid.reserve(line.size() + line.size() / 8);
  bool changed = append_valid_utf8(valid, line) > 0;
  out.clear();
  out.reserve(valid.size());
  const std::string_view text = valid;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t backslash = std::min(text.find('\\', at), text.size());
    out.append(text.substr(at, backslash - at));
    at = backslash;
    // A backslash outside of strings is malformed anyway, so strings need no tracking.
    if (at < text.size()) at += copy_escape(text, at, out, changed);
  }
  return changed;
}

std::string_view valid_text(std::string_view text, std::string& memory, bool& replaced) {
  if (simdjson::validate_utf8(text.data(), text.size())) return text;
  memory.clear();
  append_valid_utf8(memory, text);
  replaced = true;
  return memory;
}

std::string with_invalid_bytes_escaped(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t invalid = 0;
    const std::size_t valid = utf8_sequence(text, at, &invalid);
    if (valid > 0) out += text.substr(at, valid);
    for (std::size_t i = 0; valid == 0 && i < invalid; ++i)
      out += fmt::format("\\x{:02X}", static_cast<unsigned char>(text[at + i]));
    at += valid > 0 ? valid : invalid;
  }
  return out;
}

std::string without_large_numbers(std::string_view json) {
  std::string out;
  replace_large_numbers(json, out);
  return out;
}

namespace {

// Calls visit(begin, number) for each number outside of strings.
template <class Visit>
void for_each_number(std::string_view line, Visit visit) {
  bool in_string = false;
  for (std::size_t at = 0; at < line.size();) {
    const char c = line[at];
    if (in_string) {
      at += c == '\\' ? 2 : 1;
      in_string = c != '"';
      continue;
    }
    in_string = c == '"';
    const std::size_t run =
        std::min(line.find_first_not_of("0123456789+-.eE", at), line.size()) - at;
    // Skips runs that do not begin like a number: the "e" of "true" is one of these characters.
    if (run == 0 || c == 'e' || c == 'E') {
      at += run == 0 ? 1 : run;
      continue;
    }
    const std::string_view number = line.substr(at, run);
    if (json_number_length(number) == run) visit(at, number);
    at += run;
  }
}

}  // namespace

bool replace_large_numbers(std::string_view line, std::string& out) {
  constexpr std::string_view kPlaceholder = "0.0";
  out.assign(line);
  bool changed = false;
  for_each_number(line, [&](std::size_t at, std::string_view number) {
    if (fits_64_bits(number)) return;
    std::fill_n(out.begin() + static_cast<std::ptrdiff_t>(at), number.size(), ' ');
    out.replace(at, kPlaceholder.size(), kPlaceholder);  // such a number has at least 3 bytes
    changed = true;
  });
  return changed;
}

std::string strict_json(std::string_view json) {
  // In the middle between the largest double and what would be the next one.
  static const Number kTooLarge = Number::in("1.79769313486231580793728971405303e308");
  static const Number kTooSmall = Number::in("-1.79769313486231580793728971405303e308");
  std::string out;
  replace_invalid_text(json, out);
  for_each_number(out, [](std::size_t, std::string_view number) {
    constexpr std::size_t kShown = 40;
    if (Number::in(number) >= kTooLarge || Number::in(number) <= kTooSmall)
      throw Error(ErrorCode::kBadInput,
                  fmt::format("the number {}{} is larger than JSON readers can hold",
                              number.substr(0, kShown), number.size() > kShown ? "..." : ""),
                  "send it as a string");
  });
  return out;
}

}  // namespace benzer
