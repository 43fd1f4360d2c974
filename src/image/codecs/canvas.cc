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

std::uint8_t multiplied(unsigned value, unsigned alpha) {
  return static_cast<std::uint8_t>((value * alpha + 127) / 255);
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
  on_black_.reset();
}

void Canvas::add_row(const std::uint8_t* row, int channels, bool is_multiplied) {
  if (channels == (request_.colour ? 3 : 1)) return shrinker_->add_row(row);
  const bool in_colour = channels >= 3;
  const bool has_alpha = channels % 2 == 0;
  if (has_alpha) row_on_black_.resize(row_.size());
  const std::uint64_t alpha_of_opaque = alpha_ + std::uint64_t{255} * rows_.width;
  const auto put = [&](std::uint8_t*& out, std::uint8_t red, std::uint8_t green,
                       std::uint8_t blue) {
    if (request_.colour) {
      *out++ = red;
      *out++ = green;
      *out++ = blue;
    } else {
      *out++ = in_colour ? grey(red, green, blue) : red;
    }
  };
  std::uint8_t* out = row_.data();
  std::uint8_t* on_black = row_on_black_.data();
  for (std::uint32_t x = 0; x < rows_.width; ++x, row += channels) {
    std::uint8_t red = row[0];
    std::uint8_t green = row[in_colour ? 1 : 0];
    std::uint8_t blue = row[in_colour ? 2 : 0];
    if (has_alpha) {
      const std::uint8_t alpha = row[channels - 1];
      if (!is_multiplied) {
        red = multiplied(red, alpha);
        green = multiplied(green, alpha);
        blue = multiplied(blue, alpha);
      }
      put(on_black, red, green, blue);
      alpha_ += alpha;
      light_ += in_colour ? grey(red, green, blue) : red;
      const auto on_white = [white = 255u - alpha](std::uint8_t value) {
        return static_cast<std::uint8_t>(std::min(255u, value + white));
      };
      red = on_white(red);
      green = on_white(green);
      blue = on_white(blue);
    }
    put(out, red, green, blue);
  }
  // Up to the first transparent pixel both are the same.
  if (has_alpha && !on_black_ && alpha_ < alpha_of_opaque) on_black_ = shrinker_;
  shrinker_->add_row(row_.data());
  if (on_black_) on_black_->add_row(row_on_black_.data());
}

bool Canvas::is_light() const noexcept {
  const std::uint64_t opaque = std::uint64_t{255} * rows_.width * rows_.height;
  return 20 * alpha_ <= 19 * opaque && 255 * light_ > 191 * alpha_;
}

Picture Canvas::finish() {
  if (orientation_ >= 5) std::swap(size_.width, size_.height);
  Shrinker& chosen = on_black_ && is_light() ? *on_black_ : *shrinker_;
  return upright(chosen.take(), orientation_);
}

}  // namespace benzer
