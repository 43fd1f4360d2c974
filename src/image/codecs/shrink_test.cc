#include "image/codecs/shrink.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "base/sanitized.h"
#include "image/codecs/make_images_test_util.h"

namespace benzer {
namespace {

Picture shrunk(const Picture& from, ImageSize to) {
  Shrinker shrinker({from.width, from.height}, to, from.channels);
  for (std::uint32_t y = 0; y < from.height; ++y)
    shrinker.add_row(&from.pixels[std::size_t{y} * from.width * from.channels]);
  return shrinker.take();
}

// Shrinks by the definition: for each pair of pixels, the area that they share.
Picture slowly_shrunk(const Picture& from, ImageSize to) {
  const auto shared = [](std::uint64_t i, std::uint64_t from_side, std::uint64_t o,
                         std::uint64_t to_side) -> std::uint64_t {
    const std::uint64_t begin = std::max(i * to_side, o * from_side);
    const std::uint64_t end = std::min((i + 1) * to_side, (o + 1) * from_side);
    return begin < end ? end - begin : 0;
  };
  return painted(to.width, to.height, from.channels, [&](int x, int y, int c) {
    std::uint64_t sum = 0;
    for (std::uint64_t v = 0; v < from.height; ++v)
      for (std::uint64_t u = 0; u < from.width; ++u)
        sum += from.pixels[(v * from.width + u) * from.channels + static_cast<unsigned>(c)] *
               shared(u, from.width, static_cast<unsigned>(x), to.width) *
               shared(v, from.height, static_cast<unsigned>(y), to.height);
    const std::uint64_t area = std::uint64_t{from.width} * from.height;
    return static_cast<int>((sum + area / 2) / area);
  });
}

TEST(ImageShrinkTest, EachPixelIsTheMeanOfItsArea) {
  std::mt19937 random(7);
  for (int i = 0; i < (kSanitized ? 60 : 300); ++i) {
    const std::uint32_t width = 1 + static_cast<std::uint32_t>(random() % 40);
    const std::uint32_t height = 1 + static_cast<std::uint32_t>(random() % 40);
    const Picture from = painted(width, height, random() % 2 ? 3 : 1,
                                 [&](int, int, int) { return static_cast<int>(random() % 256); });
    const ImageSize to{1 + static_cast<std::uint32_t>(random() % width),
                       1 + static_cast<std::uint32_t>(random() % height)};
    EXPECT_EQ(shrunk(from, to), slowly_shrunk(from, to))
        << width << "x" << height << " to " << to.width << "x" << to.height;
  }
}

TEST(ImageShrinkTest, WhiteStaysWhiteHoweverLargeItIs) {
  for (const ImageSize size : {ImageSize{kLongestSide, 3}, ImageSize{3, kLongestSide}}) {
    const std::vector<std::uint8_t> white(size.width, 255);
    Shrinker shrinker(size, fitted(size, 512), 1);
    for (std::uint32_t y = 0; y < size.height; ++y) shrinker.add_row(white.data());
    for (const std::uint8_t pixel : shrinker.take().pixels) EXPECT_EQ(pixel, 255);
  }
}

TEST(ImageShrinkTest, TheShapeStaysAndNothingIsEnlarged) {
  EXPECT_EQ(fitted({1024, 768}, 512), (ImageSize{512, 384}));
  EXPECT_EQ(fitted({768, 1024}, 512), (ImageSize{384, 512}));
  EXPECT_EQ(fitted({513, 512}, 512), (ImageSize{512, 511}));
  EXPECT_EQ(fitted({512, 512}, 512), (ImageSize{512, 512}));
  EXPECT_EQ(fitted({3, 2}, 512), (ImageSize{3, 2}));
  EXPECT_EQ(fitted({100'000, 1}, 512), (ImageSize{512, 1}));
  EXPECT_EQ(fitted({0xffff'ffff, 0xffff'ffff}, 1), (ImageSize{1, 1}));
}

}  // namespace
}  // namespace benzer
