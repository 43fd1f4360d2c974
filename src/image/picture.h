// Defines the pixels of a decoded image, whatever its file format was.
#pragma once

#include <cstdint>
#include <vector>

namespace benzer {

// Row by row from the top left, without padding; 8 bits a channel, as they are shown (sRGB).
struct Picture {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint32_t channels = 1;  // 1: grey, as (299 R + 587 G + 114 B) / 1000; 3: red, green, blue
  std::vector<std::uint8_t> pixels;  // width * height * channels

  bool empty() const noexcept { return pixels.empty(); }
  friend bool operator==(const Picture&, const Picture&) = default;
};

}  // namespace benzer
