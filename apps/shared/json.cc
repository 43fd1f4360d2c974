#include "json.h"

#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace benzer::apps {

std::size_t utf8_length(std::string_view bytes) noexcept {
  const auto byte = [bytes](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  if (bytes.empty()) return 0;
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || bytes.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  // Overlong forms, surrogates and values above U+10FFFF show in the second byte.
  if (first == 0xE0 && byte(1) < 0xA0) return 0;
  if (first == 0xED && byte(1) >= 0xA0) return 0;
  if (first == 0xF0 && byte(1) < 0x90) return 0;
  if (first == 0xF4 && byte(1) >= 0x90) return 0;
  return length;
}

void append_valid_utf8(std::string& out, std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t length = utf8_length(bytes);
    out += length == 0 ? std::string_view("\uFFFD") : bytes.substr(0, length);
    bytes.remove_prefix(length == 0 ? 1 : length);
  }
}

std::string json_string(std::string_view bytes) {
  std::string valid;
  append_valid_utf8(valid, bytes);
  std::string out = "\"";
  for (const char c : valid) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        } else {
          out += c;
        }
    }
  }
  return out + "\"";
}

std::string json_number(double value) {
  if (!std::isfinite(value)) return "null";
  char text[32];
  const auto result = std::to_chars(text, text + sizeof(text), value);
  std::string out(text, result.ptr);
  if (out.find_first_of(".e") == std::string::npos) out += ".0";
  return out;
}

JsonObject& JsonObject::raw(std::string_view name, std::string_view json) {
  body_ += body_.empty() ? '{' : ',';
  body_ += json_string(name);
  body_ += ':';
  body_ += json;
  return *this;
}

JsonObject& JsonObject::add(std::string_view name, std::span<const std::string> texts) {
  JsonArray array;
  for (const std::string& text : texts) array.raw(json_string(text));
  return raw(name, array.str());
}

JsonArray& JsonArray::raw(std::string_view json) {
  body_ += body_.empty() ? '[' : ',';
  body_ += json;
  return *this;
}

}  // namespace benzer::apps
