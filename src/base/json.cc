#include "benzer/internal/json.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>

namespace benzer {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

bool between(unsigned char byte, unsigned low, unsigned high) {
  return byte >= low && byte <= high;
}

}  // namespace

std::size_t utf8_sequence(std::string_view bytes, std::size_t at, std::size_t* invalid) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[at + i]); };
  const std::size_t left = bytes.size() - at;
  const unsigned char lead = byte(0);
  *invalid = 1;
  if (lead < 0x80) return 1;
  // The second byte's range excludes overlong forms, surrogates and code points beyond U+10FFFF.
  std::size_t length = 0;
  unsigned low = 0x80, high = 0xBF;
  if (between(lead, 0xC2, 0xDF)) {
    length = 2;
  } else if (between(lead, 0xE0, 0xEF)) {
    length = 3;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (between(lead, 0xF0, 0xF4)) {
    length = 4;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  } else {
    return 0;
  }
  for (std::size_t i = 1; i < length; ++i) {
    if (i >= left || !between(byte(i), low, high)) {
      *invalid = i;
      return 0;
    }
    low = 0x80;
    high = 0xBF;
  }
  return length;
}

std::size_t append_valid_utf8(std::string& out, std::string_view bytes) {
  std::size_t replaced = 0;
  std::size_t clean = 0;  // where the run of valid bytes that is not yet appended begins
  for (std::size_t at = 0; at < bytes.size();) {
    std::size_t invalid = 0;
    if (const std::size_t length = utf8_sequence(bytes, at, &invalid)) {
      at += length;
      continue;
    }
    out.append(bytes, clean, at - clean);
    out.append(kReplacement);
    ++replaced;
    at += invalid;
    clean = at;
  }
  out.append(bytes, clean);
  return replaced;
}

namespace {

// Returns how many of the first bytes stay as they are: ASCII that is neither a control character
// nor a quote nor a backslash. Looks at eight at a time, as in Hacker's Delight (Warren 2012), 6-1;
// a byte behind a special one may seem to be special, too, so the lowest one counts.
std::size_t plain_bytes(std::string_view bytes) noexcept {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kTops = kOnes << 7;
  std::size_t at = 0;
  for (; bytes.size() - at >= sizeof(std::uint64_t); at += sizeof(std::uint64_t)) {
    std::uint64_t eight;
    std::memcpy(&eight, bytes.data() + at, sizeof eight);
    const std::uint64_t quotes = eight ^ kOnes * '"';
    const std::uint64_t backslashes = eight ^ kOnes * '\\';
    const std::uint64_t special =
        (((eight - kOnes * 0x20) & ~eight) | ((quotes - kOnes) & ~quotes) |
         ((backslashes - kOnes) & ~backslashes) | eight) &
        kTops;
    if (special != 0) return at + static_cast<std::size_t>(std::countr_zero(special)) / 8;
  }
  for (; at < bytes.size(); ++at) {
    const auto c = static_cast<unsigned char>(bytes[at]);
    if (c < 0x20 || c >= 0x80 || c == '"' || c == '\\') break;
  }
  return at;
}

}  // namespace

void append_json_string(std::string& out, std::string_view bytes) {
  out.push_back('"');
  std::size_t at = 0, written = 0;
  const auto write = [&] { out.append(bytes, written, at - written); };
  while ((at += plain_bytes(bytes.substr(at))) < bytes.size()) {
    const auto c = static_cast<unsigned char>(bytes[at]);
    if (c >= 0x80) {
      std::size_t invalid = 0;
      const std::size_t length = utf8_sequence(bytes, at, &invalid);
      if (length == 0) {
        write();
        out.append(kReplacement);
        written = at + invalid;
      }
      at += length ? length : invalid;
      continue;
    }
    write();
    written = ++at;
    switch (c) {
      case '"':
        out.append("\\\"");
        break;
      case '\\':
        out.append("\\\\");
        break;
      case '\b':
        out.append("\\b");
        break;
      case '\f':
        out.append("\\f");
        break;
      case '\n':
        out.append("\\n");
        break;
      case '\r':
        out.append("\\r");
        break;
      case '\t':
        out.append("\\t");
        break;
      default:
        fmt::format_to(std::back_inserter(out), "\\u{:04x}", c);
    }
  }
  write();
  out.push_back('"');
}

std::string json_string(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size() + 2);
  append_json_string(out, bytes);
  return out;
}

std::string json_number(double value) {
  if (!std::isfinite(value)) return "null";
  char text[32];
  const auto result = std::to_chars(text, text + sizeof(text), value);
  std::string out(text, result.ptr);
  if (out.find_first_of(".e") == std::string::npos) out += ".0";
  return out;
}

std::string json_value(std::span<const std::string> texts) {
  JsonArray out;
  for (const std::string& text : texts) out.add(text);
  return out.str();
}

std::string json_value(const JsonObject& object) { return object.str(); }
std::string json_value(const JsonArray& array) { return array.str(); }

JsonObject& JsonObject::raw(std::string_view name, std::string_view json) {
  body_ += body_.empty() ? '{' : ',';
  append_json_string(body_, name);
  body_ += ':';
  body_ += json;
  return *this;
}

JsonArray& JsonArray::raw(std::string_view json) {
  body_ += body_.empty() ? '[' : ',';
  body_ += json;
  return *this;
}

}  // namespace benzer
