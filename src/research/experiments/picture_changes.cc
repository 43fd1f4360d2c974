#include "research/experiments/picture_changes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <vector>

#include "image/area.h"
#include "image/hashes.h"
#include "research/experiments/made_pictures.h"

namespace benzer::experiments {
namespace {

std::uint8_t grey_of(double value) {
  return static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0, 255.0)));
}

double at(const Picture& picture, std::uint32_t x, std::uint32_t y) {
  return picture.pixels[std::size_t{y} * picture.width + x];
}

// An image of this size with grey(x, y) at each pixel.
template <class Grey>
Picture drawn(std::uint32_t width, std::uint32_t height, Grey grey) {
  Picture out{.width = width, .height = height, .channels = 1, .pixels = {}};
  out.pixels.reserve(std::size_t{width} * height);
  for (std::uint32_t y = 0; y < height; ++y)
    for (std::uint32_t x = 0; x < width; ++x) out.pixels.push_back(grey_of(grey(x, y)));
  return out;
}

template <class Level>
Picture each_level(Picture picture, Level level) {
  for (std::uint8_t& pixel : picture.pixels) pixel = grey_of(level(pixel));
  return picture;
}

std::uint32_t part(std::uint32_t side, double share) {
  return std::max<std::uint32_t>(1, static_cast<std::uint32_t>(std::lround(side * share)));
}

Picture part_of(const Picture& picture, std::uint32_t left, std::uint32_t top, std::uint32_t width,
                std::uint32_t height) {
  return drawn(width, height,
               [&](std::uint32_t x, std::uint32_t y) { return at(picture, left + x, top + y); });
}

// Cuts out a part at a random place; `stays` is the share of each side that is kept.
Picture cropped(const Picture& picture, double stays, Draws& draws) {
  const std::uint32_t width = part(picture.width, stays), height = part(picture.height, stays);
  const auto left = static_cast<std::uint32_t>(draws.below(picture.width - width + 1));
  const auto top = static_cast<std::uint32_t>(draws.below(picture.height - height + 1));
  return part_of(picture, left, top, width, height);
}

Picture scaled(const Picture& picture, double width, double height) {
  return area_resized(picture, part(picture.width, width), part(picture.height, height));
}

// Blurs along x and then along y with a Gaussian of this standard deviation.
Picture blurred(const Picture& picture, double deviation) {
  const int reach = static_cast<int>(std::ceil(3 * deviation));
  std::vector<double> bell;
  double sum = 0;
  for (int i = -reach; i <= reach; ++i) {
    bell.push_back(std::exp(-i * i / (2 * deviation * deviation)));
    sum += bell.back();
  }
  const auto pass = [&](const Picture& from, bool along_x) {
    const auto last = static_cast<int>(along_x ? from.width : from.height) - 1;
    return drawn(from.width, from.height, [&](std::uint32_t x, std::uint32_t y) {
      double grey = 0;
      for (int i = -reach; i <= reach; ++i) {
        const int place = static_cast<int>(along_x ? x : y) + i;
        const auto inside = static_cast<std::uint32_t>(std::clamp(place, 0, last));
        grey += bell[static_cast<std::size_t>(i + reach)] *
                (along_x ? at(from, inside, y) : at(from, x, inside));
      }
      return grey / sum;
    });
  };
  return pass(pass(picture, true), false);
}

// The grey between pixels, by bilinear interpolation; the place must be inside the image.
double between(const Picture& picture, double x, double y) {
  const auto left = static_cast<std::uint32_t>(x), top = static_cast<std::uint32_t>(y);
  const std::uint32_t right = std::min(left + 1, picture.width - 1);
  const std::uint32_t below = std::min(top + 1, picture.height - 1);
  const double u = x - left, v = y - top;
  return (1 - v) * ((1 - u) * at(picture, left, top) + u * at(picture, right, top)) +
         v * ((1 - u) * at(picture, left, below) + u * at(picture, right, below));
}

// Turns the image around its centre, and cuts off the margins that include corners from outside.
Picture rotated(const Picture& picture, double degrees) {
  const double turn = degrees * std::numbers::pi / 180;
  const double c = std::cos(turn), s = std::sin(turn);
  const double half_width = (picture.width - 1) / 2.0, half_height = (picture.height - 1) / 2.0;
  const Picture all =
      drawn(picture.width, picture.height, [&](std::uint32_t column, std::uint32_t row) {
        const double dx = column - half_width, dy = row - half_height;
        const double x =
            std::clamp(half_width + c * dx - s * dy, 0.0, static_cast<double>(picture.width - 1));
        const double y =
            std::clamp(half_height + s * dx + c * dy, 0.0, static_cast<double>(picture.height - 1));
        return between(picture, x, y);
      });
  const std::uint32_t margin =
      static_cast<std::uint32_t>(std::max(picture.width, picture.height) * 0.5 * std::abs(turn)) +
      1;
  return part_of(all, margin, margin, picture.width - 2 * margin, picture.height - 2 * margin);
}

// Turns the image around its centre, and makes it as wide and high as that takes. Beyond its sides
// the image continues with its outermost pixels.
Picture turned_whole(const Picture& picture, double degrees) {
  const double turn = degrees * std::numbers::pi / 180;
  const double c = std::cos(turn), s = std::sin(turn);
  const double old_width = picture.width, old_height = picture.height;
  const auto width = static_cast<std::uint32_t>(c * old_width + s * old_height);
  const auto height = static_cast<std::uint32_t>(s * old_width + c * old_height);
  return drawn(width, height, [&](std::uint32_t column, std::uint32_t row) {
    const double dx = column - (width - 1) / 2.0, dy = row - (height - 1) / 2.0;
    const double x = (old_width - 1) / 2 + c * dx + s * dy;
    const double y = (old_height - 1) / 2 + c * dy - s * dx;
    return between(picture, std::clamp(x, 0.0, old_width - 1), std::clamp(y, 0.0, old_height - 1));
  });
}

// Pastes the image onto another one, at a half to two thirds of its size.
Picture pasted(const Picture& picture, Draws& draws) {
  const std::uint64_t seed = draws.next();
  const Picture other = made_picture(seed, draws.below(kMadeKinds.size()));
  const double size = 0.5 + static_cast<double>(draws.below(17)) / 100;
  const Picture small = scaled(picture, size, size);
  Picture out =
      area_resized(other, std::max(small.width + 40, 400u), std::max(small.height + 40, 300u));
  const auto left = static_cast<std::uint32_t>(draws.below(out.width - small.width + 1));
  const auto top = static_cast<std::uint32_t>(draws.below(out.height - small.height + 1));
  for (std::uint32_t y = 0; y < small.height; ++y)
    for (std::uint32_t x = 0; x < small.width; ++x)
      out.pixels[std::size_t{top + y} * out.width + left + x] =
          small.pixels[std::size_t{y} * small.width + x];
  return out;
}

// Adds a half-transparent white box with dark strokes like letters in it.
Picture watermarked(const Picture& picture, Draws& draws) {
  const std::uint32_t width = part(picture.width, 0.35), height = part(picture.height, 0.1);
  const auto left = static_cast<std::uint32_t>(draws.below(picture.width - width + 1));
  const auto top = static_cast<std::uint32_t>(draws.below(picture.height - height + 1));
  Picture out = picture;
  for (std::uint32_t y = top; y < top + height; ++y)
    for (std::uint32_t x = left; x < left + width; ++x) {
      const bool stroke = (x - left) % 6 < 2 && y > top + height / 4 && y < top + 3 * height / 4;
      std::uint8_t& pixel = out.pixels[std::size_t{y} * picture.width + x];
      pixel = grey_of(0.53 * pixel + (stroke ? 0 : 0.47 * 255));
    }
  return out;
}

// Puts a caption across the lower third, as on images that are shared for fun.
Picture overlaid(const Picture& picture, Draws& draws) {
  const std::uint32_t top = picture.height - part(picture.height, 0.3);
  const std::uint64_t pattern = draws.next();
  return drawn(picture.width, picture.height, [&](std::uint32_t x, std::uint32_t y) {
    if (y < top) return at(picture, x, y);
    const std::uint32_t cell = x / 5 + 13 * ((y - top) / 9);
    return (y - top) % 9 > 2 && (pattern >> cell % 64 & 1) != 0 ? 20.0 : 245.0;
  });
}

Picture framed(const Picture& inner) {
  const std::uint32_t border = std::max(4u, std::min(inner.width, inner.height) / 25);
  return drawn(
      inner.width + 2 * border, inner.height + 2 * border, [&](std::uint32_t x, std::uint32_t y) {
        const bool inside =
            x >= border && y >= border && x < inner.width + border && y < inner.height + border;
        return inside ? at(inner, x - border, y - border) : 0.0;
      });
}

Picture with_contrast(const Picture& picture, double factor) {
  double mean = 0;
  for (const std::uint8_t pixel : picture.pixels) mean += pixel;
  mean /= static_cast<double>(picture.pixels.size());
  return each_level(picture, [&](std::uint8_t grey) { return mean + factor * (grey - mean); });
}

constexpr std::array kChanges = {
    PictureChange{"bright", kPhotometric,
                  [](const Picture& p, Draws&) {
                    return each_level(p, [](std::uint8_t grey) { return 1.25 * grey; });
                  }},
    PictureChange{"dark", kPhotometric,
                  [](const Picture& p, Draws&) {
                    return each_level(p, [](std::uint8_t grey) { return 0.75 * grey; });
                  }},
    PictureChange{"contrast", kPhotometric,
                  [](const Picture& p, Draws&) { return with_contrast(p, 1.3); }},
    PictureChange{"levels", kPhotometric,
                  [](const Picture& p, Draws&) {
                    return each_level(p, [](std::uint8_t grey) { return grey / 32 * 32 + 16; });
                  }},
    PictureChange{"blur", kPhotometric, [](const Picture& p, Draws&) { return blurred(p, 1.5); }},
    PictureChange{"noise", kPhotometric,
                  [](const Picture& p, Draws& draws) {
                    return each_level(p, [&](std::uint8_t grey) {
                      return 0.92 * grey + 0.08 * static_cast<double>(draws.below(256));
                    });
                  }},
    PictureChange{"watermark", kPhotometric, watermarked},
    PictureChange{"scale50", kMild, [](const Picture& p, Draws&) { return scaled(p, 0.5, 0.5); }},
    PictureChange{"scale25", kMild, [](const Picture& p, Draws&) { return scaled(p, 0.25, 0.25); }},
    PictureChange{"stretch", kMild, [](const Picture& p, Draws&) { return scaled(p, 1, 0.8); }},
    PictureChange{"crop5", kMild, [](const Picture& p, Draws& d) { return cropped(p, 0.95, d); }},
    PictureChange{"rot2", kMild, [](const Picture& p, Draws&) { return rotated(p, 2); }},
    PictureChange{"border", kMild, [](const Picture& p, Draws&) { return framed(p); }},
    PictureChange{"crop20", kHard, [](const Picture& p, Draws& d) { return cropped(p, 0.8, d); }},
    PictureChange{"half", kHard, [](const Picture& p, Draws& d) { return cropped(p, 0.7071, d); }},
    PictureChange{"crop50", kHard, [](const Picture& p, Draws& d) { return cropped(p, 0.5, d); }},
    PictureChange{"rot30", kHard, [](const Picture& p, Draws&) { return turned_whole(p, 30); }},
    PictureChange{"rot90", kHard, [](const Picture& p, Draws&) { return turned(p, 1); }},
    PictureChange{"rot180", kHard, [](const Picture& p, Draws&) { return turned(p, 2); }},
    PictureChange{"fliph", kHard, [](const Picture& p, Draws&) { return turned(p, 4); }},
    PictureChange{"overlay", kHard, overlaid},
    PictureChange{"collage", kHard, pasted},
};

}  // namespace

std::span<const PictureChange> picture_changes() { return kChanges; }

}  // namespace benzer::experiments
