#include <fmt/format.h>

#include "benzer/corpus.h"
#include "benzer/error.h"

namespace benzer {

// Writes the pixels as a PNM file, which is decoded like any other image.
Field Field::of_pixels(std::string name, std::uint32_t width, std::uint32_t height,
                       std::span<const std::uint8_t> rgb) {
  if (width == 0 || height == 0 || rgb.size() / 3 / width != height ||
      rgb.size() % (std::size_t{3} * width) != 0)
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} x {} pixels of three bytes each cannot be read from {} bytes",
                            width, height, rgb.size()));
  std::string bytes = fmt::format("P6 {} {} 255\n", width, height);
  bytes.append(rgb.begin(), rgb.end());
  return of_image(std::move(name), std::move(bytes));
}

}  // namespace benzer
