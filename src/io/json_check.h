// Where a text stops being JSON. Slow and plain: it runs only on what the fast parser refused, to
// say in the sentence what is wrong, and in tests, as the fast parser's second opinion.
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

// Levels of arrays and objects, as many as simdjson's.
inline constexpr std::size_t kJsonDepth = 1024;

// Nothing if the text is one JSON value (RFC 8259) in UTF-8 without lone surrogates.
std::optional<JsonFault> find_json_fault(std::string_view text);

// The JSON value that begins the text, with the white space in front of it.
struct JsonExtent {
  std::size_t end = 0;  // behind its last byte, or of the first byte that cannot be there
  bool fault = false;   // it is not whole
};
JsonExtent first_json_value(std::string_view text);

// The length of the JSON number at the begin of the text; 0 if there is none.
std::size_t json_number_length(std::string_view text) noexcept;

}  // namespace benzer
