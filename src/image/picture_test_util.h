// Makes images for tests, and writes them as PNM, which needs no library.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/test_random.h"
#include "image/hashes.h"
#include "image/picture.h"

namespace benzer {

// Waves of several directions: enough detail for any hash. Images of different seeds are not
// similar.
inline Picture waves(std::uint64_t seed, std::uint32_t width = 160, std::uint32_t height = 120) {
  TestRandom random(seed);
  struct Wave {
    double x, y, phase, height;
  };
  std::vector<Wave> all;
  for (int i = 0; i < 12; ++i)
    all.push_back({(static_cast<double>(random.below(1000)) - 500) / 25,
                   (static_cast<double>(random.below(1000)) - 500) / 25,
                   static_cast<double>(random.below(628)) / 100,
                   static_cast<double>(10 + random.below(20))});
  Picture out{width, height, 1, {}};
  for (std::uint32_t y = 0; y < height; ++y)
    for (std::uint32_t x = 0; x < width; ++x) {
      double grey = 128;
      for (const Wave& wave : all)
        grey += wave.height * std::sin(wave.x * x / width + wave.y * y / height + wave.phase);
      out.pixels.push_back(static_cast<std::uint8_t>(std::clamp(grey, 0.0, 255.0)));
    }
  return out;
}

// Soft spots of many sizes: each is a key point, and the spots around it tell it from the others.
inline Picture spots(std::uint64_t seed, std::uint32_t width = 320, std::uint32_t height = 240) {
  TestRandom random(seed);
  std::vector<double> greys(std::size_t{width} * height, 128);
  for (int spot = 0; spot < 250; ++spot) {
    const auto x = static_cast<double>(random.below(width));
    const auto y = static_cast<double>(random.below(height));
    const double radius = 2 + static_cast<double>(random.below(80)) / 10;
    const double strength =
        (random.below(2) == 0 ? -1 : 1) * (25.0 + static_cast<double>(random.below(60)));
    const auto reach = static_cast<int>(3 * radius);
    for (int row = std::max(0, static_cast<int>(y) - reach);
         row < std::min(static_cast<int>(height), static_cast<int>(y) + reach); ++row)
      for (int column = std::max(0, static_cast<int>(x) - reach);
           column < std::min(static_cast<int>(width), static_cast<int>(x) + reach); ++column) {
        const double dx = column - x, dy = row - y;
        greys[static_cast<std::size_t>(row) * width + static_cast<std::size_t>(column)] +=
            strength * std::exp(-(dx * dx + dy * dy) / (2 * radius * radius));
      }
  }
  Picture out{width, height, 1, {}};
  for (const double grey : greys)
    out.pixels.push_back(static_cast<std::uint8_t>(std::clamp(grey, 0.0, 255.0)));
  return out;
}

inline Picture part_of(const Picture& picture, std::uint32_t left, std::uint32_t top,
                       std::uint32_t width, std::uint32_t height) {
  Picture out{width, height, 1, {}};
  for (std::uint32_t y = top; y < top + height; ++y)
    for (std::uint32_t x = left; x < left + width; ++x)
      out.pixels.push_back(picture.pixels[std::size_t{y} * picture.width + x]);
  return out;
}

inline Picture noisy(Picture picture, int strength, std::uint64_t seed) {
  TestRandom random(seed);
  for (std::uint8_t& pixel : picture.pixels) {
    const int noise = static_cast<int>(random.below(2 * static_cast<std::uint64_t>(strength) + 1));
    pixel = static_cast<std::uint8_t>(std::clamp(pixel + noise - strength, 0, 255));
  }
  return picture;
}

inline std::string as_pnm(const Picture& picture) {
  std::string out = picture.channels == 3 ? "P6 " : "P5 ";
  out += std::to_string(picture.width) + " " + std::to_string(picture.height) + " 255\n";
  out.append(picture.pixels.begin(), picture.pixels.end());
  return out;
}

}  // namespace benzer
