// JSON, written value by value in the order of the calls.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

#include "base/json_text.h"

namespace benzer::report {

class JsonWriter {
 public:
  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }

  JsonWriter& key(std::string_view name) {
    separate();
    append_json_string(out_, name);
    out_ += ':';
    first_ = true;
    return *this;
  }

  JsonWriter& value(std::string_view text) {
    separate();
    append_json_string(out_, text);
    return *this;
  }
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(double number) { return raw(json_number(number)); }
  template <std::integral Value>
  JsonWriter& value(Value number) {
    if constexpr (std::same_as<Value, bool>) return raw(number ? "true" : "false");
    return raw(std::to_string(number));
  }
  // A JSON value already.
  JsonWriter& raw(std::string_view json) {
    separate();
    out_ += json;
    return *this;
  }

  template <class Value>
  JsonWriter& add(std::string_view name, const Value& content) {
    return key(name).value(content);
  }
  JsonWriter& add_or_null(std::string_view name, std::string_view text) {
    return text.empty() ? key(name).raw("null") : add(name, text);
  }
  template <class List>
  JsonWriter& add_list(std::string_view name, const List& list) {
    key(name).begin_array();
    for (const auto& item : list) value(item);
    return end_array();
  }

  std::string finish() { return std::move(out_) + "\n"; }

 private:
  void separate() {
    if (!first_) out_ += ',';
    first_ = false;
  }
  JsonWriter& open(char bracket) {
    separate();
    out_ += bracket;
    first_ = true;
    return *this;
  }
  JsonWriter& close(char bracket) {
    out_ += bracket;
    first_ = false;
    return *this;
  }

  std::string out_;
  bool first_ = true;  // nothing stands before the next value in its list or object
};

}  // namespace benzer::report
