// Small JSON objects, written field by field in the order of the calls.
#pragma once

#include <concepts>
#include <span>
#include <string>
#include <string_view>

namespace benzer::apps {

// Appends valid UTF-8 as it is; each byte that is not part of any becomes U+FFFD.
void append_valid_utf8(std::string& out, std::string_view bytes);

// The length of the UTF-8 sequence at the start of `bytes`, 0 if it is not valid.
std::size_t utf8_length(std::string_view bytes) noexcept;

// A JSON string with its quotes.
std::string json_string(std::string_view bytes);

// The shortest decimal that reads back as the same double, always with a point or an exponent, so
// that readers who infer types see a number with decimals: "0.93", "1.0".
std::string json_number(double value);

class JsonObject {
 public:
  JsonObject& add(std::string_view name, std::string_view text) {
    return raw(name, json_string(text));
  }
  JsonObject& add(std::string_view name, const char* text) {
    return add(name, std::string_view(text));
  }
  JsonObject& add(std::string_view name, double value) { return raw(name, json_number(value)); }
  template <std::integral Value>
  JsonObject& add(std::string_view name, Value value) {
    if constexpr (std::same_as<Value, bool>) return raw(name, value ? "true" : "false");
    return raw(name, std::to_string(value));
  }
  JsonObject& add(std::string_view name, std::span<const std::string> texts);
  JsonObject& add_null(std::string_view name) { return raw(name, "null"); }
  JsonObject& add_or_null(std::string_view name, std::string_view text) {
    return text.empty() ? add_null(name) : add(name, text);
  }
  // `json` is a JSON value already.
  JsonObject& raw(std::string_view name, std::string_view json);

  std::string str() const { return body_.empty() ? "{}" : body_ + "}"; }

 private:
  std::string body_;
};

// "[a,b]" of JSON values.
class JsonArray {
 public:
  JsonArray& raw(std::string_view json);
  std::string str() const { return body_.empty() ? "[]" : body_ + "]"; }

 private:
  std::string body_;
};

}  // namespace benzer::apps

// Both programs write it.
namespace benzer::cli {
using namespace apps;
}
namespace benzer::server {
using namespace apps;
}
