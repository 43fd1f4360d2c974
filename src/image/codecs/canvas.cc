#include <algorithm>
#include <string>

#include "image/codecs/codec.h"
#include "image/codecs/exif.h"

namespace benzer {
namespace {

std::string shown_count(std::uint64_t count) {
  constexpr std::uint64_t kMillion = 1'000'000;
  if (count > 0 && count % kMillion == 0) return std::to_string(count / kMillion) + " million";
  return std::to_string(count);
}

std::uint8_t on_white(unsigned value, unsigned alpha) {
  return static_cast<std::uint8_t>((value * alpha + 255 * (255 - alpha) + 127) / 255);
}

std::uint8_t grey(unsigned red, unsigned green, unsigned blue) {
  return static_cast<std::uint8_t>((299 * red + 587 * green + 114 * blue + 500) / 1000);
}

}  // namespace

void Canvas::set_size(std::uint64_t width, std::uint64_t height) {
  size_ = {static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height)};
  const std::string shown =
      "it has " + std::to_string(width) + " x " + std::to_string(height) + " pixels";
  if (width == 0 || height == 0) throw ImageProblem(shown);
  if (std::max(width, height) > kLongestSide)
    throw ImageProblem(shown + "; a side has at most " + std::to_string(kLongestSide));
  if (width > limits_.pixels / height)
    throw ImageProblem(shown + "; allowed are " + shown_count(limits_.pixels));
}

void Canvas::begin_rows(ImageSize rows) {
  rows_ = rows;
  const std::uint32_t channels = request_.colour ? 3 : 1;
  row_.resize(std::size_t{rows.width} * channels);
  shrinker_.emplace(rows, target(), channels);
}

void Canvas::add_row(const std::uint8_t* row, int channels) {
  if (channels == (request_.colour ? 3 : 1)) return shrinker_->add_row(row);
  std::uint8_t* out = row_.data();
  const bool in_colour = channels >= 3;
  for (std::uint32_t x = 0; x < rows_.width; ++x, row += channels) {
    std::uint8_t red = row[0];
    std::uint8_t green = row[in_colour ? 1 : 0];
    std::uint8_t blue = row[in_colour ? 2 : 0];
    if (channels % 2 == 0) {
      const std::uint8_t alpha = row[channels - 1];
      red = on_white(red, alpha);
      green = on_white(green, alpha);
      blue = on_white(blue, alpha);
    }
    if (request_.colour) {
      *out++ = red;
      *out++ = green;
      *out++ = blue;
    } else {
      *out++ = in_colour ? grey(red, green, blue) : red;
    }
  }
  shrinker_->add_row(row_.data());
}

Picture Canvas::finish() {
  if (orientation_ >= 5) std::swap(size_.width, size_.height);
  return upright(shrinker_->take(), orientation_);
}

}  // namespace benzer
