// Computes the size of an image that is shrunk to a longest side.
#pragma once

#include <algorithm>
#include <cstdint>

namespace benzer {

struct ImageSize {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  friend bool operator==(const ImageSize&, const ImageSize&) = default;
};

// The size of the same shape with neither side longer than `longest`; never larger than `from`. The
// shorter side is rounded to the nearest whole number, and is at least 1.
inline ImageSize fitted(ImageSize from, std::uint32_t longest) noexcept {
  const std::uint64_t longer = std::max(from.width, from.height);
  if (longer <= longest) return from;
  const auto scaled = [&](std::uint64_t side) {
    return static_cast<std::uint32_t>(
        std::max<std::uint64_t>(1, (side * longest + longer / 2) / longer));
  };
  return {scaled(from.width), scaled(from.height)};
}

}  // namespace benzer
