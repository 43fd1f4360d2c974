// Finds where a text stops being JSON. It is slow and plain: it runs only on lines that the fast
// parser refused, to say what is wrong, on the beginnings of files, and in tests, to check the fast
// parser.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace benzer {

struct JsonFault {
  std::size_t offset = 0;  // of the first byte that cannot be there
  std::string what;        // "found 'x' where ',' or '}' is allowed"
};

// The allowed levels of arrays and objects, the same as in simdjson.
inline constexpr std::size_t kJsonDepth = 1024;

// "malformed JSON at byte 6: found '}' where a value is allowed"
std::string malformed_json(const JsonFault& fault);

// Nothing if the text is one JSON value (RFC 8259) in UTF-8 without lone surrogates.
std::optional<JsonFault> find_json_fault(std::string_view text);

// The JSON value at the beginning of the text, with the white space in front of it.
struct JsonExtent {
  std::size_t end = 0;  // after its last byte, or at the first byte that cannot be there
  bool fault = false;   // the value is not complete
};
JsonExtent first_json_value(std::string_view text);

// The length of the JSON number at the beginning of the text; 0 if there is none.
std::size_t json_number_length(std::string_view text) noexcept;

}  // namespace benzer
