// Writes and reads bytes as base64 (RFC 4648, section 4).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace benzer {

std::string encode_base64(std::string_view bytes);
// Returns nothing if the text is not base64. Its padding may be missing.
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace benzer
