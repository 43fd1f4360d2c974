// Adds a checksum to small texts, which shows whether they are complete: their last line is
// "checksum " and 16 hexadecimal digits, the XXH3-64 of all bytes before that line.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <xxhash.h>

namespace benzer {

inline std::string checksum_line(std::string_view text) {
  return fmt::format("checksum {:016x}\n", XXH3_64bits(text.data(), text.size()));
}

inline std::string with_checksum(const std::string& text) { return text + checksum_line(text); }

// Returns the text without its last line, or nothing if the checksum does not match.
inline std::optional<std::string_view> without_checksum(std::string_view text) {
  constexpr std::size_t kLine = std::string_view("checksum 0123456789abcdef\n").size();
  if (text.size() < kLine) return std::nullopt;
  const std::string_view content = text.substr(0, text.size() - kLine);
  if (text.substr(content.size()) != checksum_line(content)) return std::nullopt;
  return content;
}

}  // namespace benzer
