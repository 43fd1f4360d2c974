// JSON as Benzer writes it: lists, reports, answers of the server and files are spelt alike. Bytes
// that are not UTF-8 become U+FFFD, one for each maximal subpart (Unicode 15, section 3.9).
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace benzer {

// The length of the valid UTF-8 sequence at `at`, or 0 if there is none; then *invalid is the
// length of the maximal subpart, which is replaced by one U+FFFD.
std::size_t utf8_sequence(std::string_view bytes, std::size_t at, std::size_t* invalid) noexcept;

// Appends the bytes with every invalid sequence replaced by U+FFFD; returns how many there were.
std::size_t append_valid_utf8(std::string& out, std::string_view bytes);

// Appends the bytes as a JSON string with its quotes; invalid UTF-8 is replaced by U+FFFD.
void append_json_string(std::string& out, std::string_view bytes);
std::string json_string(std::string_view bytes);

// The shortest decimal that reads back as the same double, always with a point or an exponent, so
// that readers who infer types see a number with decimals: "0.93", "1.0". JSON has no NaN and no
// infinity: they become null.
std::string json_number(double value);

class JsonArray;
class JsonObject;

// The JSON of a value.
inline std::string json_value(std::string_view text) { return json_string(text); }
inline std::string json_value(double number) { return json_number(number); }
template <std::integral Value>
std::string json_value(Value value) {
  if constexpr (std::same_as<Value, bool>) return value ? "true" : "false";
  return std::to_string(value);
}
std::string json_value(std::span<const std::string> texts);
std::string json_value(const JsonObject& object);
std::string json_value(const JsonArray& array);

// {"name":value,...}, field by field in the order of the calls.
class JsonObject {
 public:
  template <class Value>
  JsonObject& add(std::string_view name, const Value& value) {
    return raw(name, json_value(value));
  }
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

// [value,...]
class JsonArray {
 public:
  template <class Value>
  JsonArray& add(const Value& value) {
    return raw(json_value(value));
  }
  // `json` is a JSON value already.
  JsonArray& raw(std::string_view json);

  std::string str() const { return body_.empty() ? "[]" : body_ + "]"; }

 private:
  std::string body_;
};

}  // namespace benzer
