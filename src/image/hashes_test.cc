#include "image/hashes.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include "base/test_random.h"
#include "image/area.h"
#include "image/grid16.h"

namespace benzer {
namespace {

Picture empty_picture(std::uint32_t width, std::uint32_t height) {
  return {.width = width,
          .height = height,
          .channels = 1,
          .pixels = std::vector<std::uint8_t>(std::size_t{width} * height)};
}

template <typename Grey>
Picture drawn(std::uint32_t width, std::uint32_t height, Grey grey) {
  Picture picture = empty_picture(width, height);
  for (std::uint32_t y = 0; y < height; ++y)
    for (std::uint32_t x = 0; x < width; ++x)
      picture.pixels[std::size_t{y} * width + x] = static_cast<std::uint8_t>(grey(int(x), int(y)));
  return picture;
}

Picture gradient() {
  return drawn(72, 64, [](int x, int y) { return 2 * x + y; });
}

Picture triangles(int width, int height, int a, int b) {
  const auto triangle = [](int t, int period) {
    return std::abs(t % period * 2 - period) * 128 / period;
  };
  return drawn(std::uint32_t(width), std::uint32_t(height), [&](int x, int y) {
    return triangle(a * x + b * y + 17, 211) + triangle(b * x - a * y + 50000, 97) / 2 +
           x * y * 60 / (width * height);
  });
}

Picture random_picture(std::uint32_t width, std::uint32_t height, std::uint64_t seed) {
  const auto numbers = TestRandom(seed).numbers(std::size_t{width} * height);
  return drawn(width, height, [&](int x, int y) {
    return numbers[std::size_t(y) * width + std::size_t(x)] & 255;
  });
}

ImageHash from_hex(const std::string& digits) {
  ImageHash hash;
  for (std::size_t i = 0; i < digits.size() / 16; ++i)
    hash.words[digits.size() / 16 - 1 - i] = std::stoull(digits.substr(16 * i, 16), nullptr, 16);
  return hash;
}

double overlap(double a, double b, double c, double d) {
  return std::max(0.0, std::min(b, d) - std::max(a, c));
}

// The mean of a cell by the definition: the overlap of every pixel with it.
double slow_mean(const Picture& grey, int width, int height, int cell_x, int cell_y) {
  const double step_x = double(grey.width) / width;
  const double step_y = double(grey.height) / height;
  double sum = 0;
  for (int y = 0; y < int(grey.height); ++y)
    for (int x = 0; x < int(grey.width); ++x)
      sum += overlap(cell_x * step_x, (cell_x + 1) * step_x, x, x + 1) *
             overlap(cell_y * step_y, (cell_y + 1) * step_y, y, y + 1) *
             grey.pixels[std::size_t(y) * grey.width + std::size_t(x)];
  return sum / (step_x * step_y);
}

double slow_dct(const std::vector<double>& square, int side, int v, int u) {
  double sum = 0;
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x)
      sum += square[std::size_t(y * side + x)] *
             std::cos(std::numbers::pi * v * (2 * y + 1) / (2 * side)) *
             std::cos(std::numbers::pi * u * (2 * x + 1) / (2 * side));
  return sum;
}

// The steps of the reference code: two passes of the box filter over all pixels, then a sample of
// 64 x 64.
std::vector<double> slow_pdq_square(const Picture& grey) {
  const int width = int(grey.width);
  const int height = int(grey.height);
  const auto box = [](const std::vector<double>& in, int lines, int length, int line_step,
                      int step) {
    std::vector<double> out(in.size());
    const int window = (length + 127) / 128;
    const int ahead = (window + 2) / 2;
    for (int line = 0; line < lines; ++line)
      for (int i = 0; i < length; ++i) {
        const int begin = std::max(0, i + ahead - window);
        const int end = std::min(length, i + ahead);
        double sum = 0;
        for (int j = begin; j < end; ++j) sum += in[std::size_t(line * line_step + j * step)];
        out[std::size_t(line * line_step + i * step)] = sum / (end - begin);
      }
    return out;
  };
  std::vector<double> all(grey.pixels.begin(), grey.pixels.end());
  for (int pass = 0; pass < 2; ++pass)
    all = box(box(all, height, width, width, 1), width, height, 1, width);
  std::vector<double> square;
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 64; ++x)
      square.push_back(
          all[std::size_t((2 * y + 1) * height / 128 * width + (2 * x + 1) * width / 128)]);
  return square;
}

TEST(Area, MeansAreThoseOfASlowAverage) {
  for (const auto& [width, height] : {std::pair{23, 17}, {3, 2}, {1, 40}, {9, 8}, {64, 5}}) {
    const Picture grey = random_picture(std::uint32_t(width), std::uint32_t(height), 3);
    const auto sums = area_sums(grey, 9, 8);
    const Picture resized = area_resized(grey, 9, 8);
    for (int y = 0; y < 8; ++y)
      for (int x = 0; x < 9; ++x) {
        const auto i = std::size_t(y * 9 + x);
        EXPECT_NEAR(double(sums[i]) / (width * height), slow_mean(grey, 9, 8, x, y), 1e-9);
        EXPECT_EQ(resized.pixels[i], int(slow_mean(grey, 9, 8, x, y) + 0.5 + 1e-9));
      }
  }
}

TEST(Area, OfTheSameSizeIsThePictureAndOfOnePixelIsThatPixel) {
  const Picture grey = random_picture(13, 11, 5);
  EXPECT_EQ(area_resized(grey, 13, 11), grey);
  EXPECT_EQ(area_resized(drawn(1, 1, [](int, int) { return 77; }), 4, 3),
            drawn(4, 3, [](int, int) { return 77; }));
}

TEST(Hashes, OfAGradientByHand) {
  EXPECT_EQ(hex(dhash(gradient()), 64), "ffffffffffffffff");
  // It is brighter to the right and to the bottom: the odd coefficients are negative, and all
  // others but the first are 0.
  EXPECT_EQ(hex(phash(gradient()), 64), "8000000000000000");
  const auto grid = grid16(gradient());
  EXPECT_EQ(grid[0], 5);     // columns 0 to 3 and half of 4, rows 0 to 3: 2 * 1.78 + 1.5 = 5.06
  EXPECT_EQ(grid[15], 140);  // 2 * 69.22 + 1.5 = 139.94
  EXPECT_EQ(grid[240], 65);
}

TEST(Hashes, HexIsTheHighestBitFirst) {
  ImageHash hash;
  hash.words = {0x0123456789abcdef, 2, 0, 0xf000000000000000};
  EXPECT_EQ(hex(hash, 64), "0123456789abcdef");
  EXPECT_EQ(hex(hash, 256),
            "f00000000000000000000000000000000000000000000002"
            "0123456789abcdef");
  EXPECT_EQ(from_hex(hex(hash, 256)), hash);
}

TEST(Phash, IsThatOfASlowTransform) {
  for (const Picture& grey :
       {triangles(512, 384, 1, 2), triangles(97, 131, 3, 1), random_picture(50, 70, 1)}) {
    std::vector<double> square;
    for (const std::uint64_t sum : area_sums(grey, 32, 32)) square.push_back(double(sum));
    std::vector<double> coefficients;
    for (int v = 0; v < 8; ++v)
      for (int u = 0; u < 8; ++u) coefficients.push_back(slow_dct(square, 32, v, u));
    auto sorted = coefficients;
    std::sort(sorted.begin(), sorted.end());
    const double median = (sorted[31] + sorted[32]) / 2;
    ImageHash expected;
    for (std::size_t i = 0; i < 64; ++i)
      if (coefficients[i] > median) expected.words[0] |= std::uint64_t{1} << (63 - i);
    EXPECT_EQ(hex(phash(grey), 64), hex(expected, 64));
  }
}

// Made with the reference code by way of PyPI pdqhash 0.2.8; 10 bits is the published tolerance.
TEST(Pdq, IsThatOfTheReference) {
  const auto check = [](const Picture& grey, const std::string& expected, int quality) {
    EXPECT_LE(distance(pdq(grey), from_hex(expected)), 10) << hex(pdq(grey), 256);
    EXPECT_NEAR(pdq(grey).quality, quality, 1);
  };
  check(triangles(512, 384, 1, 2),
        "355a950f155a9e0f155abe0f155aba8f015a17f0aaa515f1aaa515f1aaa515f5", 100);
  check(triangles(300, 512, 3, 1),
        "14ff55c000eafdca00eff5ca00ff55ca00ff558a00ff55aaff00aa55ff00aa55", 100);
  check(triangles(64, 64, 2, 5), "d5e9ffc0209dd685a03dfe97a22dfff8803102994031aa950031aa9fffc6556b",
        100);
  check(triangles(97, 131, 1, 1),
        "7809d1957c41d6102a5112d467c98a957749f7f0aaa11564aaa9aaa95555ffff", 60);
  check(triangles(512, 288, 0, 1),
        "55017f01f401ff077003fe07a003f01f000b2017001f055f00bf5ddf9fffffff", 100);
}

TEST(Pdq, IsThatOfASlowTransform) {
  for (const Picture& grey : {triangles(512, 384, 1, 2), triangles(131, 97, 1, 1),
                              random_picture(60, 200, 9), triangles(5, 700, 1, 1)}) {
    const std::vector<double> square = slow_pdq_square(grey);
    std::vector<double> coefficients;
    for (int v = 1; v <= 16; ++v)
      for (int u = 1; u <= 16; ++u) coefficients.push_back(slow_dct(square, 64, v, u));
    auto sorted = coefficients;
    std::sort(sorted.begin(), sorted.end());
    const ImageHash hash = pdq(grey);
    for (std::size_t i = 0; i < 256; ++i) {
      if (std::abs(coefficients[i] - sorted[127]) < 0.1) continue;  // nearer than float can tell
      EXPECT_EQ(hash.words[i / 64] >> (i % 64) & 1, coefficients[i] > sorted[127] ? 1u : 0u) << i;
    }
  }
}

TEST(Pdq, AFlatPictureHasNoQualityAndNoiseAllOfIt) {
  EXPECT_EQ(pdq(drawn(300, 200, [](int, int) { return 128; })).quality, 0);
  EXPECT_EQ(pdq(random_picture(64, 64, 1)).quality, 100);
}

TEST(Hashes, OfPicturesOfAnySize) {
  for (const auto& [width, height] :
       {std::pair{1, 1}, {1, 1000}, {1000, 1}, {3, 2}, {4, 4}, {5, 5}, {63, 65}, {2000, 7}}) {
    const Picture grey = random_picture(std::uint32_t(width), std::uint32_t(height), 2);
    EXPECT_EQ(distance(dhash(grey), dhash(grey)), 0);
    EXPECT_EQ(phash(grey), phash(grey));
    EXPECT_EQ(pdq(grey), pdq(grey));
    EXPECT_EQ(grid16(grey), grid16(grey));
    if (width < 5 || height < 5) {
      EXPECT_EQ(pdq(grey).quality, 0);
    }
  }
}

TEST(Turned, OneByOne) {
  const Picture picture{.width = 3, .height = 2, .channels = 1, .pixels = {1, 2, 3, 4, 5, 6}};
  using Pixels = std::vector<std::uint8_t>;
  EXPECT_EQ(turned(picture, 0), picture);
  EXPECT_EQ(turned(picture, 1).pixels, (Pixels{4, 1, 5, 2, 6, 3}));
  EXPECT_EQ(turned(picture, 1).width, 2u);
  EXPECT_EQ(turned(picture, 2).pixels, (Pixels{6, 5, 4, 3, 2, 1}));
  EXPECT_EQ(turned(picture, 3).pixels, (Pixels{3, 6, 2, 5, 1, 4}));
  EXPECT_EQ(turned(picture, 4).pixels, (Pixels{3, 2, 1, 6, 5, 4}));
  EXPECT_EQ(turned(picture, 5).pixels, (Pixels{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(turned(picture, 6).pixels, (Pixels{4, 5, 6, 1, 2, 3}));
  EXPECT_EQ(turned(picture, 7).pixels, (Pixels{6, 3, 5, 2, 4, 1}));
}

TEST(Turned, FourQuartersOrTwoMirrorsAreNone) {
  Picture colours = random_picture(30, 7, 4);
  colours.width = 10;
  colours.channels = 3;
  for (const Picture& picture : {random_picture(30, 7, 4), colours}) {
    Picture again = picture;
    for (int i = 0; i < 4; ++i) again = turned(again, 1);
    EXPECT_EQ(again, picture);
    EXPECT_EQ(turned(turned(picture, 4), 4), picture);
    EXPECT_EQ(turned(turned(picture, 1), 1), turned(picture, 2));
    EXPECT_EQ(turned(turned(picture, 1), 3), picture);
    for (int i = 4; i < 8; ++i) EXPECT_EQ(turned(picture, i), turned(turned(picture, i - 4), 4));
  }
}

}  // namespace
}  // namespace benzer
