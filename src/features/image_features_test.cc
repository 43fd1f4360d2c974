// Tests that pictures which differ are not taken for equal because their greys on white are.
#include <string>
#include <vector>

#include <gtest/gtest.h>

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

INSTANTIATE_TEST_SUITE_P(Kinds, ImageFeaturesTest,
                         testing::Values("image:pdq", "image:pdq+turned", "image:dhash",
                                         "image:phash", "image:near", "image:sift",
                                         "image:grid16"));

}  // namespace
}  // namespace benzer
