#include "image/area.h"

#include <algorithm>

namespace benzer {
namespace {

// Visits the pixels that a cell overlaps along one axis. `from` pixels of length `to` each cover
// the same line as `to` cells of length `from` each, so every overlap is a whole number, and those
// of a cell add up to `from`.
template <typename Visit>
void overlaps(std::uint64_t cell, std::uint64_t from, std::uint64_t to, Visit visit) {
  const std::uint64_t begin = cell * from;
  const std::uint64_t end = begin + from;
  for (std::uint64_t pixel = begin / to; pixel * to < end; ++pixel)
    visit(pixel, std::min(end, (pixel + 1) * to) - std::max(begin, pixel * to));
}

}  // namespace

std::vector<std::uint64_t> area_sums(const Picture& grey, std::uint32_t width,
                                     std::uint32_t height) {
  std::vector<std::uint64_t> sums;
  sums.reserve(std::size_t{width} * height);
  // The rows of a cell are summed first, column by column: whole rows are added, and 32 bits hold
  // height * 255.
  std::vector<std::uint32_t> columns(grey.width);
  for (std::uint32_t y = 0; y < height; ++y) {
    std::fill(columns.begin(), columns.end(), 0);
    overlaps(y, grey.height, height, [&](std::uint64_t row, std::uint64_t part) {
      const std::uint8_t* pixels = grey.pixels.data() + row * grey.width;
      const auto weight = static_cast<std::uint32_t>(part);
      for (std::size_t x = 0; x < columns.size(); ++x) columns[x] += weight * pixels[x];
    });
    for (std::uint32_t x = 0; x < width; ++x) {
      std::uint64_t sum = 0;
      overlaps(x, grey.width, width,
               [&](std::uint64_t column, std::uint64_t part) { sum += part * columns[column]; });
      sums.push_back(sum);
    }
  }
  return sums;
}

Picture area_resized(const Picture& grey, std::uint32_t width, std::uint32_t height) {
  const std::uint64_t area = std::uint64_t{grey.width} * grey.height;
  Picture resized{.width = width, .height = height, .channels = 1, .pixels = {}};
  resized.pixels.reserve(std::size_t{width} * height);
  for (const std::uint64_t sum : area_sums(grey, width, height))
    resized.pixels.push_back(static_cast<std::uint8_t>((2 * sum + area) / (2 * area)));
  return resized;
}

}  // namespace benzer
