#include <algorithm>

#include "image/hashes.h"

namespace benzer {

Picture turned(const Picture& picture, int orientation) {
  const int quarters = orientation & 3;
  const bool mirrored = (orientation & 4) != 0;
  const bool lying = quarters % 2 == 1;
  const std::uint32_t width = picture.width;
  const std::uint32_t height = picture.height;
  Picture result{.width = lying ? height : width,
                 .height = lying ? width : height,
                 .channels = picture.channels,
                 .pixels = std::vector<std::uint8_t>(picture.pixels.size())};
  std::uint8_t* to = result.pixels.data();
  for (std::uint32_t y = 0; y < result.height; ++y)
    for (std::uint32_t column = 0; column < result.width; ++column) {
      const std::uint32_t x = mirrored ? result.width - 1 - column : column;
      std::uint32_t from_x = x;
      std::uint32_t from_y = y;
      if (quarters == 1) {  // what was the left column, read upwards, is the top row
        from_x = y;
        from_y = height - 1 - x;
      } else if (quarters == 2) {
        from_x = width - 1 - x;
        from_y = height - 1 - y;
      } else if (quarters == 3) {
        from_x = width - 1 - y;
        from_y = x;
      }
      const std::size_t from = (std::size_t{from_y} * width + from_x) * picture.channels;
      to = std::copy_n(picture.pixels.data() + from, picture.channels, to);
    }
  return result;
}

}  // namespace benzer
