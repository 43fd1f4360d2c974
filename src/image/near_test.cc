#include "image/near.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <gtest/gtest.h>

#include "benzer/features.h"

#include "base/test_random.h"
#include "image/align.h"
#include "image/area.h"
#include "image/near_features.h"
#include "image/picture_test_util.h"
#include "image/trimmed.h"

namespace benzer {
namespace {

template <typename Grey>
Picture clamped(std::uint32_t width, std::uint32_t height, Grey grey) {
  Picture picture{.width = width, .height = height, .channels = 1, .pixels = {}};
  for (std::uint32_t y = 0; y < height; ++y)
    for (std::uint32_t x = 0; x < width; ++x)
      picture.pixels.push_back(
          static_cast<std::uint8_t>(std::clamp(std::lround(grey(int(x), int(y))), 0l, 255l)));
  return picture;
}

// Discs of random places, sizes and greys on a slope. The grey at x, y, each in [0, 1].
class Scene {
 public:
  explicit Scene(std::uint64_t seed) {
    TestRandom random(seed);
    const auto part = [&] { return double(random.below(1000)) / 1000; };
    slope_ = 80 * part() - 40;
    for (int i = 0; i < 40; ++i)
      discs_.push_back({part(), part(), 0.03 + 0.15 * part(), 255 * part()});
  }
  double operator()(double x, double y) const {
    double grey = 128 + slope_ * (x + y - 1);
    for (const Disc& disc : discs_)
      if (std::hypot(x - disc.x, y - disc.y) < disc.radius) grey = disc.grey;
    return grey;
  }

 private:
  struct Disc {
    double x, y, radius, grey;
  };
  std::vector<Disc> discs_;
  double slope_;
};

// The part of a scene that begins at x0, y0, turned by some degrees around its middle.
Picture shot(const Scene& scene, double x0 = 0.1, double y0 = 0.1, double size = 0.8,
             double degrees = 0, std::uint32_t width = 240, std::uint32_t height = 180) {
  const double turn = degrees * 3.14159265358979 / 180;
  return clamped(width, height, [&](int column, int row) {
    const double x = (column + 0.5) / width - 0.5;
    const double y = (row + 0.5) / height - 0.5;
    return scene(x0 + size * (0.5 + x * std::cos(turn) - y * std::sin(turn)),
                 y0 + size * (0.5 + x * std::sin(turn) + y * std::cos(turn)));
  });
}

Picture framed(const Picture& inner, std::uint32_t border, int grey) {
  return clamped(inner.width + 2 * border, inner.height + 2 * border, [&](int column, int row) {
    const int x = column - int(border);
    const int y = row - int(border);
    const bool inside = x >= 0 && y >= 0 && x < int(inner.width) && y < int(inner.height);
    return inside ? int(inner.pixels[std::size_t(y) * inner.width + std::size_t(x)]) : grey;
  });
}

template <typename Change>
Picture changed(const Picture& picture, Change change) {
  return clamped(picture.width, picture.height, [&](int x, int y) {
    return change(x, y, double(picture.pixels[std::size_t(y) * picture.width + std::size_t(x)]));
  });
}

double similarity(const Picture& a, const Picture& b) {
  const NearFeatures one = near_features(a);
  const NearFeatures other = near_features(b);
  const double result = near_similarity(one, other);
  EXPECT_EQ(result, near_similarity(other, one));
  EXPECT_EQ(near_candidates(one, other), near_candidates(other, one));
  EXPECT_GE(result, 0);
  EXPECT_LE(result, 1);
  return near_candidates(one, other) ? result : 0;
}

TEST(Trimmed, CutsOffFramesAndNothingElse) {
  const Picture inner = shot(Scene(1));
  EXPECT_EQ(trimmed(inner), inner);
  for (const int grey : {0, 128, 255}) {
    const Picture cut = trimmed(framed(inner, 12, grey));
    // Trimmed off as well: the line next to the frame, and lines of the image in the grey of the
    // frame.
    EXPECT_NEAR(cut.width, inner.width - 2, 2) << grey;
    EXPECT_NEAR(cut.height, inner.height - 2, 2) << grey;
  }
  const Picture flat = clamped(50, 40, [](int, int) { return 9; });
  EXPECT_EQ(trimmed(flat), flat);
  const Picture sky = clamped(50, 40, [](int, int y) { return 2 * y; });
  EXPECT_EQ(trimmed(sky), sky);
}

TEST(Trimmed, HalfAPictureIsNoFrame) {
  const Picture half = clamped(60, 60, [](int, int y) { return y < 30 ? 0 : 200; });
  EXPECT_EQ(trimmed(half), half);
}

TEST(Align, FindsASmallMapAgain) {
  const Scene scene(3);
  const auto levels = [&](const Picture& picture) {
    return align_levels(area_resized(picture, 64, 64).pixels.data(), 64);
  };
  const auto base = levels(shot(scene, 0.1, 0.1, 0.8, 0, 256, 256));
  const auto over = levels(shot(scene, 0.12, 0.08, 0.76, 0, 256, 256));
  AffineMap map;
  for (std::size_t level = 3; level-- > 0;) fit(base[level], over[level], 5, map);
  // Place p of the base is scene place 0.5 + 0.4 p, which in `over` is along x (0.4 p + 0.5 - 0.12
  // - 0.38) / 0.38.
  EXPECT_NEAR(map.m[0], 0.4 / 0.38, 0.005);
  EXPECT_NEAR(map.m[4], 0.4 / 0.38, 0.005);
  EXPECT_NEAR(map.m[1], 0, 0.005);
  EXPECT_NEAR(map.m[3], 0, 0.005);
  EXPECT_NEAR(map.m[2], 0, 0.005);
  EXPECT_NEAR(map.m[5], 0.04 / 0.38, 0.005);
}

TEST(Align, LaidOnItselfIsItself) {
  const auto level = align_levels(area_resized(shot(Scene(3)), 64, 64).pixels.data(), 64)[0];
  EXPECT_EQ(laid(level, AffineMap{}), level.grey);
  const auto half_out = laid(level, AffineMap{.m = {1, 0, 1, 0, 1, 0}});
  EXPECT_EQ(std::count(half_out.begin(), half_out.end(), kOutside), 64 * 32);
}

TEST(Near, APictureIsLikeItself) {
  EXPECT_EQ(similarity(shot(Scene(1)), shot(Scene(1))), 1);
  const Picture flat = clamped(50, 40, [](int, int) { return 9; });
  EXPECT_EQ(similarity(flat, flat), 1);
}

TEST(Near, ChangesThatLeaveThePicture) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Scene scene(seed);
    const Picture picture = shot(scene);
    const auto check = [&](const char* change, const Picture& copy) {
      EXPECT_GE(similarity(picture, copy), kNearThreshold) << change << ", scene " << seed;
    };
    check("half size", shot(scene, 0.1, 0.1, 0.8, 0, 120, 90));
    check("stretched", shot(scene, 0.1, 0.1, 0.8, 0, 240, 144));
    check("cropped", shot(scene, 0.14, 0.1, 0.76));
    check("turned", shot(scene, 0.11, 0.11, 0.78, 2.5));
    check("black frame", framed(picture, 10, 0));
    check("white frame", framed(picture, 10, 255));
    check("darker", changed(picture, [](int, int, double grey) { return 0.6 * grey + 5; }));
    check("stamped", changed(picture, [](int x, int y, double grey) {
            return x > 120 && x < 200 && y > 130 && y < 150 ? 0.5 * grey + 120 : grey;
          }));
    check("logo", changed(picture,
                          [](int x, int y, double grey) { return x < 35 && y < 35 ? 255 : grey; }));
  }
}

TEST(Near, AFifthMayBeCovered) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Picture picture = shot(Scene(seed));
    const Picture covered = changed(picture, [](int x, int y, double grey) {
      return x < 75 && y < 55 ? ((x / 9 + y / 7) % 2 == 0 ? 250 : 5) : grey;
    });
    EXPECT_GE(near_similarity(near_features(picture), near_features(covered)), kNearThreshold)
        << seed;
  }
}

TEST(Near, OneSmallThingInCommonIsNotEnough) {
  const auto discs = [](double one, double other) {
    return clamped(160, 160, [&](int x, int y) {
      const double grey = std::hypot(x - 60, y - 60) < 10 ? 20 + one : 20;
      return std::hypot(x - 100, y - 100) < 6 ? grey + other : grey;
    });
  };
  EXPECT_LT(near_similarity(near_features(discs(8, 0)), near_features(discs(9, 2))), 0.7);
}

TEST(Near, DifferentPicturesAreFar) {
  std::vector<NearFeatures> features;
  for (std::uint64_t seed = 1; seed <= 12; ++seed)
    features.push_back(near_features(shot(Scene(seed))));
  for (std::size_t i = 0; i < features.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      EXPECT_LT(near_similarity(features[i], features[j]), 0.6) << i << ' ' << j;
}

TEST(Near, WithoutDetailThereIsNoEvidence) {
  const Picture dark = clamped(90, 60, [](int x, int) { return 20 + x / 40; });
  const Picture dim = clamped(90, 60, [](int x, int y) { return 20 + (x + y) / 40; });
  EXPECT_LT(similarity(dark, dim), kNearThreshold);
  EXPECT_LT(similarity(clamped(90, 60, [](int, int) { return 0; }),
                       clamped(90, 60, [](int, int) { return 255; })),
            0.1);
}

TEST(Near, ThePublishedBoundOfPdqIsEnough) {
  NearFeatures a;  // a flat thumbnail: no evidence
  NearFeatures b;
  b.inner.words[2] = 0x7fffffff;
  EXPECT_NEAR(near_similarity(a, b), kNearThreshold, 1e-12);
  b.inner.words[2] = 0xffffffff;
  EXPECT_EQ(near_similarity(a, b), 0);
  b.inner.words[2] = 1;
  EXPECT_GT(near_similarity(a, b), 0.99);
  b.inner.quality = 49;
  EXPECT_EQ(near_similarity(a, b), 0);
}

TEST(Near, TheBoundCountsLowFrequenciesFourTimes) {
  const NearFeatures a;
  NearFeatures b;
  b.inner.words = {0xffffff, 0, ~0ull, 0xffff};  // 16 of 24 low: 64 + 8 + 64 + 16 = 152
  b.whole.words = {0, 0, ~0ull, ~0ull};
  EXPECT_TRUE(near_candidates(a, b));
  b.inner.words[3] = 0x3fffffff;  // 166
  EXPECT_TRUE(near_candidates(a, b));
  b.inner.words[3] = 0x7fffffff;
  EXPECT_TRUE(near_candidates(a, b));  // by the whole hash: 128
  b.whole.words[1] = 0x1fff00;
  EXPECT_FALSE(near_candidates(a, b));
}

TEST(Near, OfPicturesOfAnySize) {
  TestRandom random(4);
  const Picture other = shot(Scene(1));
  for (const auto& [width, height] :
       {std::pair{1, 1}, {1, 300}, {300, 1}, {3, 2}, {5, 5}, {6, 400}}) {
    const Picture picture = clamped(std::uint32_t(width), std::uint32_t(height),
                                    [&](int, int) { return double(random.below(256)); });
    EXPECT_EQ(similarity(picture, picture), 1);
    EXPECT_LT(similarity(picture, other), kNearThreshold);
  }
}

// Reading restores what was written, the quality too: without it, faint images would be judged by
// their hashes.
TEST(NearFeaturesAsASet, AreReadBackInAnyOrder) {
  for (const Picture& picture :
       {waves(1), waves(2, 7, 300), Picture{30, 30, 1, std::vector<std::uint8_t>(900, 40)}}) {
    NearFeatures kept = near_features(picture);
    if (has_little_contrast(kept)) kept.file = {{1, 2, 3, 4}};
    std::vector<std::uint64_t> features;
    add_near_features(kept, features);
    EXPECT_EQ(read_near_features(features), kept);
    std::reverse(features.begin(), features.end());
    EXPECT_EQ(read_near_features(features), kept);
    EXPECT_EQ(FeatureSet(features).size(), features.size());
  }
}

}  // namespace
}  // namespace benzer
