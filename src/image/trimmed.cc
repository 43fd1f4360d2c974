#include "image/trimmed.h"

#include <algorithm>
#include <cstdlib>

namespace benzer {
namespace {

constexpr int kSameGrey = 8;  // as much as JPEG changes a flat grey
constexpr int kEdge = 16;

// The lines of an image seen from one side: line 0 is the outermost.
struct Side {
  const std::uint8_t* first;
  std::ptrdiff_t line_step;
  std::ptrdiff_t pixel_step;
  std::ptrdiff_t lines;
  std::ptrdiff_t length;

  std::ptrdiff_t others(std::ptrdiff_t line, int grey, int tolerance) const {
    std::ptrdiff_t count = 0;
    const std::uint8_t* pixel = first + line * line_step;
    for (std::ptrdiff_t i = 0; i < length; ++i, pixel += pixel_step)
      count += std::abs(*pixel - grey) > tolerance ? 1 : 0;
    return count;
  }

  std::ptrdiff_t frame() const {
    std::ptrdiff_t sum = 0;
    for (std::ptrdiff_t i = 0; i < length; ++i) sum += first[i * pixel_step];
    const auto grey = static_cast<int>((2 * sum + length) / (2 * length));
    const std::ptrdiff_t most = lines / 5;
    std::ptrdiff_t end = 0;
    while (end <= most && others(end, grey, kSameGrey) * 200 <= length) ++end;
    if (end == 0 || end > most) return 0;
    // A sky that slowly turns into something else is not a frame: where a frame ends, many pixels
    // change.
    std::ptrdiff_t edge = 0;
    for (std::ptrdiff_t line = end; line < std::min(lines, end + 3); ++line)
      edge = std::max(edge, others(line, grey, kEdge));
    if (edge * 4 < length) return 0;
    return std::min(end + 1, most);  // including the line in which both are mixed
  }
};

}  // namespace

Picture trimmed(const Picture& grey) {
  const std::ptrdiff_t width = grey.width;
  const std::ptrdiff_t height = grey.height;
  const std::uint8_t* pixels = grey.pixels.data();
  const std::ptrdiff_t top = Side{pixels, width, 1, height, width}.frame();
  const std::ptrdiff_t bottom =
      Side{pixels + (height - 1) * width, -width, 1, height, width}.frame();
  const std::ptrdiff_t rows = height - top - bottom;
  const std::uint8_t* begin = pixels + top * width;
  const std::ptrdiff_t left = Side{begin, 1, width, width, rows}.frame();
  const std::ptrdiff_t right = Side{begin + width - 1, -1, width, width, rows}.frame();

  Picture inner{.width = static_cast<std::uint32_t>(width - left - right),
                .height = static_cast<std::uint32_t>(rows),
                .channels = 1,
                .pixels = {}};
  inner.pixels.reserve(std::size_t{inner.width} * inner.height);
  for (std::ptrdiff_t y = 0; y < rows; ++y) {
    const std::uint8_t* row = begin + y * width;
    inner.pixels.insert(inner.pixels.end(), row + left, row + width - right);
  }
  return inner;
}

}  // namespace benzer
