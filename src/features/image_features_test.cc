// Tests that pictures which differ are not taken for equal because their greys on white are.
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <xxhash.h>

#include "base/test_random.h"
#include "image/codecs/make_images_test_util.h"
#include "image/hashes.h"
#include "verify/feature_comparison.h"

namespace benzer {
namespace {

class ImageFeaturesTest : public testing::TestWithParam<std::string> {
 protected:
  double similarity(const std::string& a, const std::string& b) const {
    FeatureBuffer of_a, of_b;
    extractor_.extract(a, of_a);
    extractor_.extract(b, of_b);
    EXPECT_EQ(of_a.problem(), "");
    EXPECT_EQ(of_b.problem(), "");
    FeatureComparison comparison(features_);
    const FeatureSet set(of_a.features());
    comparison.load(set.features());
    return comparison.compare(FeatureSet(of_b.features()).features()).jaccard();
  }

  const FeatureSpec features_ = FeatureSpec::parse(GetParam());
  const FeatureExtractor extractor_{features_};
};

bool in_square(int x, int y) { return x > 10 && x < 54 && y > 10 && y < 54; }
bool in_circle(int x, int y) { return (x - 32) * (x - 32) + (y - 32) * (y - 32) < 400; }

// White where the shape is, and transparent elsewhere.
std::string icon(bool (*is_in)(int, int)) {
  return png(
      painted(64, 64, 4, [=](int x, int y, int c) { return c < 3 || is_in(x, y) ? 255 : 0; }));
}

// Red and green that have the same grey.
std::string halves(bool red_first) {
  return png(painted(64, 64, 3, [=](int x, int, int c) {
    const bool is_red = (x < 32) == red_first;
    if (is_red) return c == 0 ? 200 : 0;
    return c == 1 ? 102 : 0;
  }));
}

// 16 bits a sample, of which the higher eight are the same everywhere.
std::string deep(int factor) {
  Picture picture =
      painted(64, 64, 2, [=](int x, int y, int c) { return c == 0 ? 1 : x * y * factor; });
  picture.channels = 1;
  return png(picture, {.bits = 16});
}

// A blank frame, and another one.
std::string animation(bool (*is_in)(int, int)) {
  const std::vector<GifColorType> colours{{0, 0, 0}, {255, 255, 255}};
  const Picture blank = painted(64, 64, 1, [](int, int, int) { return 0; });
  const Picture shape = painted(64, 64, 1, [=](int x, int y, int) { return is_in(x, y) ? 1 : 0; });
  return gif(64, 64, colours, {{.indices = blank}, {.indices = shape}});
}

TEST_P(ImageFeaturesTest, PicturesWithoutGreysAreEqualToTheirCopiesOnly) {
  const struct {
    const char* name;
    std::string one, other;
  } cases[] = {
      {"colours of one grey", halves(true), halves(false)},
      {"differences below 8 bits", deep(1), deep(3)},
      {"later frames", animation(in_circle), animation(in_square)},
  };
  for (const auto& [name, one, other] : cases) {
    EXPECT_EQ(similarity(one, other), 0) << name;
    EXPECT_EQ(similarity(one, one), 1) << name;
  }
}

TEST_P(ImageFeaturesTest, WhiteDrawingsAreSeen) {
  EXPECT_LT(similarity(icon(in_circle), icon(in_square)), 0.7);
  // With something dark in both, they are compared, and not only as files.
  const auto framed = [](bool (*is_in)(int, int)) {
    return png(painted(64, 64, 4, [=](int x, int y, int c) {
      if (y < 4 || x < 3) return c < 3 ? (x * 37 + y * 91) % 100 : 255;
      return c < 3 || is_in(x, y) ? 255 : 0;
    }));
  };
  EXPECT_LT(similarity(framed(in_circle), framed(in_square)), 1);
}

// All that is compared of pictures is the first frame, so animations are equal to copies of their
// file only, and similar to no still picture.
TEST_P(ImageFeaturesTest, AnimationsAreSimilarToTheirCopiesOnly) {
  const std::vector<GifColorType> colours{{0, 0, 0}, {255, 255, 255}};
  const Picture drawn =
      painted(64, 64, 1, [](int x, int y, int) { return (x * x + y * y) / 300 & 1; });
  const GifFrame first{.indices = drawn}, other{.indices = turned(drawn, 1)};
  const std::string still = gif(64, 64, colours, {first});
  const std::string one = gif(64, 64, colours, {first, other});
  const std::string two = gif(64, 64, colours, {first, other, other});
  EXPECT_EQ(similarity(one, one), 1);
  EXPECT_EQ(similarity(one, two), 0);
  EXPECT_EQ(similarity(one, still), 0);
  if (GetParam() == "image:sift") return;  // it takes more detail
  EXPECT_EQ(similarity(still, png(drawn, {.palette = {{0, 0, 0}, {255, 255, 255}}})), 1);
}

// The secret of XXH3 with the seed 0, which is public.
constexpr std::string_view kXxh3Secret =
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff"
    "7221b8084674f743248ee03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46"
    "a9deacd8a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364eac5ac8334d3ebc3c581"
    "a0fffa1363eb170ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428"
    "afd7fbcabb4b407e";

// An animation whose file has the same XXH3, of 64 and of 128 bits, for each seed of this function.
// A lane of 8 bytes whose lower half equals the secret is multiplied by 0, so only the sums of such
// lanes count; all lanes in the palette are of this kind, and their upper halves have the same sum.
std::string animation_with_equal_checksum(std::uint64_t seed) {
  constexpr std::size_t kPalette = 13, kColours = 256;  // where it begins in the file
  std::string file =
      gif(64, 64, std::vector<GifColorType>(kColours),
          {{.indices = painted(64, 64, 1, [](int x, int y, int) { return x * y; })},
           {.indices = painted(64, 64, 1, [](int x, int y, int) { return x ^ y; })}});
  TestRandom random(seed);
  const auto put = [&](std::size_t at, std::uint32_t value) {
    std::memcpy(file.data() + at, &value, sizeof value);
  };
  constexpr std::size_t kLastLane = kPalette + 3 * kColours - 8;
  for (std::size_t column = 0; column < 8; ++column) {
    std::size_t last = 0;
    std::uint32_t sum = 0;
    for (std::size_t at = 8 * column; at <= kLastLane; at += 64) {
      if (at < kPalette) continue;
      // Each stripe of 64 bytes takes the secret from 8 bytes further on.
      const std::size_t key = at / 64 * 8 + 8 * column;
      for (std::size_t i = 0; i < 4; ++i)
        file[at + i] = static_cast<char>(
            std::stoi(std::string(kXxh3Secret.substr(2 * (key + i), 2)), nullptr, 16));
      const auto half = static_cast<std::uint32_t>(random.below(std::uint64_t{1} << 32));
      put(at + 4, half);
      sum += half;
      last = at;
    }
    std::uint32_t half = 0;
    std::memcpy(&half, file.data() + last + 4, sizeof half);
    put(last + 4, half - sum);
  }
  return file;
}

TEST_P(ImageFeaturesTest, FilesWithEqualChecksumsAreNotEqual) {
  const std::string one = animation_with_equal_checksum(1), two = animation_with_equal_checksum(2);
  ASSERT_NE(one, two);
  ASSERT_EQ(XXH3_64bits(one.data(), one.size()), XXH3_64bits(two.data(), two.size()));
  EXPECT_EQ(similarity(one, one), 1);
  EXPECT_EQ(similarity(one, two), 0);
}

INSTANTIATE_TEST_SUITE_P(Kinds, ImageFeaturesTest,
                         testing::Values("image:pdq", "image:pdq+turned", "image:dhash",
                                         "image:phash", "image:near", "image:sift",
                                         "image:grid16"));

}  // namespace
}  // namespace benzer
