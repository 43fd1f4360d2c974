#include <optional>

#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/input.h"
#include "benzer/internal/base64.h"

namespace benzer {
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
