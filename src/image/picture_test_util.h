// Pictures made up for tests, and as files: PNM, which needs no library to write.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "base/test_random.h"
#include "image/hashes.h"
#include "image/picture.h"

namespace benzer {

// Waves of several directions: enough detail for any hash, and other seeds are strangers.
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
