#include <cstddef>

#include "image/hashes.h"

namespace benzer {

Picture turned(const Picture& picture, int orientation) {
  const int quarters = orientation & 3;
  const bool mirrored = (orientation & 4) != 0;
  const bool lying = quarters % 2 == 1;
  const std::ptrdiff_t width = picture.width, height = picture.height;
  Picture result{.width = lying ? picture.height : picture.width,
                 .height = lying ? picture.width : picture.height,
                 .channels = picture.channels,
                 .pixels = std::vector<std::uint8_t>(picture.pixels.size())};
  // Where the first pixel of the result comes from, and the steps in the source that lead to the
  // pixel to the right of it in the result, and to the one below it.
  const std::ptrdiff_t starts[] = {0, (height - 1) * width, height * width - 1, width - 1};
  const std::ptrdiff_t rights[] = {1, -width, -1, width};
  const std::ptrdiff_t downs[] = {width, 1, -width, -1};
  const std::ptrdiff_t down = downs[quarters];
  std::ptrdiff_t start = starts[quarters], right = rights[quarters];
  if (mirrored) {
    start += right * (static_cast<std::ptrdiff_t>(result.width) - 1);
    right = -right;
  }
  const auto channels = static_cast<std::ptrdiff_t>(picture.channels);
  const std::uint8_t* from = picture.pixels.data();
  std::uint8_t* to = result.pixels.data();
  for (std::ptrdiff_t y = 0; y < result.height; ++y)
    for (std::ptrdiff_t x = 0; x < result.width; ++x) {
      const std::uint8_t* pixel = from + (start + x * right + y * down) * channels;
      for (std::ptrdiff_t channel = 0; channel < channels; ++channel) *to++ = pixel[channel];
    }
  return result;
}

}  // namespace benzer
