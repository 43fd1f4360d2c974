// Finds fields of JSON objects by name, also inside other objects and arrays.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <simdjson.h>

namespace benzer {

// The keys on the way to a field whose name is a path, such as "/meta/text" or "meta.text"; none
// for a name that can only be a key itself.
std::vector<std::string> steps_of_name(std::string_view name);

// A name is a key of the object itself. If the object has no such key, a name with a slash in
// front is a JSON pointer (RFC 6901), and one with dots is the same with dots in place of slashes:
// "/meta/text" and "meta.text" are the field "text" of the object "meta", "/parts/0" and "parts.0"
// the first element of the array "parts".
class JsonField {
 public:
  JsonField() = default;  // the field with the empty name
  explicit JsonField(std::string name);

  const std::string& name() const noexcept { return name_; }

  // Finds the value; if a key occurs twice, the last one is used. `way` (may be null) receives the
  // numbers of the members and elements on the way to the value.
  std::optional<simdjson::dom::element> find(const simdjson::dom::object& object,
                                             std::vector<std::size_t>* way = nullptr) const;

 private:
  std::string name_;
  std::vector<std::string> steps_;  // empty: the name is only a key
};

// The beginning of a key, as JSON, for messages.
std::string shown_key(std::string_view key);

// The bytes of the value at the end of the way, as the text of the object has them, without white
// space around it; of an object or an array only the first one. Empty if there is no such value.
// kLinePadding bytes after the text must be readable.
std::string_view token_at(simdjson::ondemand::parser& parser, std::string_view object,
                          std::span<const std::size_t> way);

// The same for the digits of a number; empty if the value is not a number.
std::string_view number_at(simdjson::ondemand::parser& parser, std::string_view object,
                           std::span<const std::size_t> way);

}  // namespace benzer
