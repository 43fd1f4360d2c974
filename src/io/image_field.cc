#include <array>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/input.h"

namespace benzer {
namespace {

// Decodes base64 (RFC 4648, section 4); nothing if the text is not base64.
std::optional<std::string> decode_base64(std::string_view text) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  static const std::array<int, 256> kValues = [] {
    std::array<int, 256> out;
    out.fill(-1);
    for (std::size_t i = 0; i < kDigits.size(); ++i)
      out[static_cast<unsigned char>(kDigits[i])] = static_cast<int>(i);
    return out;
  }();
  for (int padding = 0; padding < 2 && text.ends_with('='); ++padding) text.remove_suffix(1);
  if (text.size() % 4 == 1) return std::nullopt;
  std::string out;
  out.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const int value = kValues[static_cast<unsigned char>(c)];
    if (value < 0) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out.push_back(static_cast<char>(bits >> count & 0xFF));
  }
  return out;
}

}  // namespace

Field image_field(std::string name, std::string_view value, const std::string& folder) {
  if (!value.starts_with("data:")) {
    const bool stays = value.starts_with('/') || folder.empty() || value.empty();
    return Field::of_image_file(std::move(name),
                                stays ? std::string(value) : fmt::format("{}/{}", folder, value));
  }
  constexpr std::string_view kBase64 = ";base64";
  const std::size_t comma = value.find(',');
  std::optional<std::string> bytes;
  if (comma != std::string_view::npos && value.substr(0, comma).ends_with(kBase64))
    bytes = decode_base64(value.substr(comma + 1));
  if (!bytes)
    throw Error(ErrorCode::kBadInput, Subject::field(name),
                fmt::format("the field \"{}\" begins with data: but is not a URL of the form "
                            "data:image/png;base64,... with an image in base64",
                            name));
  return Field::of_image(std::move(name), std::move(*bytes));
}

}  // namespace benzer
