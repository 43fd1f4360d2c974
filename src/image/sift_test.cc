#include "image/sift.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "image/area.h"
#include "image/picture_test_util.h"

namespace benzer {
namespace {

constexpr float kPi = std::numbers::pi_v<float>;

double apart(const Descriptor& a, const Descriptor& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

// The share of the points of `from` that are found in `to` where moved() says, with a similar
// descriptor.
template <class Moved>
double share_found(const Picture& from, const Picture& to, Moved moved) {
  const std::vector<KeyPoint> points = key_points(from, 200), others = key_points(to, 400);
  EXPECT_GT(points.size(), 50U);
  std::size_t found = 0;
  for (const KeyPoint& point : points) {
    const KeyPoint wanted = moved(point);
    found += std::any_of(others.begin(), others.end(), [&](const KeyPoint& other) {
      const float turn = std::remainder(other.angle - wanted.angle, 2 * kPi);
      return std::hypot(other.x - wanted.x, other.y - wanted.y) < 1 + 0.2f * wanted.size &&
             std::abs(std::log2(other.size / wanted.size)) < 0.3f && std::abs(turn) < 0.2f &&
             apart(other.descriptor, point.descriptor) < 180;  // unrelated ones: 400 to 600
    });
  }
  return static_cast<double>(found) / static_cast<double>(points.size());
}

TEST(KeyPoints, AreWhereSpotsAreAndAsLargeAsThey) {
  Picture picture{120, 100, 1, {}};
  for (int y = 0; y < 100; ++y)
    for (int x = 0; x < 120; ++x) {
      const double squared = (x - 70.0) * (x - 70.0) + (y - 40.0) * (y - 40.0);
      picture.pixels.push_back(static_cast<std::uint8_t>(60 + 150 * std::exp(-squared / 50)));
    }
  const std::vector<KeyPoint> points = key_points(picture, 1);
  ASSERT_EQ(points.size(), 1U);
  EXPECT_NEAR(points[0].x, 70, 0.3);
  EXPECT_NEAR(points[0].y, 40, 0.3);
  // A Gaussian spot of deviation 5 differs most where the image is blurred with 5 (Lindeberg 1998),
  // between the two Gaussians of a difference.
  EXPECT_NEAR(points[0].size, 5, 0.7);
}

TEST(KeyPoints, AreFoundAgain) {
  const Picture picture = spots(1);
  EXPECT_EQ(share_found(picture, picture, [](const KeyPoint& p) { return p; }), 1);
  EXPECT_GT(share_found(picture, noisy(picture, 8, 2), [](const KeyPoint& p) { return p; }), 0.75);
  // Turned clockwise: the top left pixel becomes the top right one.
  EXPECT_GT(share_found(picture, turned(picture, 1),
                        [&](KeyPoint p) {
                          const float x = p.x;
                          p.x = static_cast<float>(picture.height - 1) - p.y;
                          p.y = x;
                          p.angle += kPi / 2;
                          return p;
                        }),
            0.9);
  EXPECT_GT(share_found(picture, area_resized(picture, 192, 144),
                        [](KeyPoint p) {
                          p.x = (p.x + 0.5f) * 0.6f - 0.5f;
                          p.y = (p.y + 0.5f) * 0.6f - 0.5f;
                          p.size *= 0.6f;
                          return p;
                        }),
            0.5);
  EXPECT_LT(share_found(picture, spots(2), [](const KeyPoint& p) { return p; }), 0.02);
}

TEST(KeyPoints, OfABrightCaptionLeaveOthersTheirPlace) {
  Picture picture = spots(3);
  TestRandom random(4);
  for (std::uint32_t y = 180; y < 240; ++y)
    for (std::uint32_t x = 0; x < 320; ++x)
      picture.pixels[y * 320 + x] = random.below(2) == 0 ? 0 : 255;
  const std::vector<KeyPoint> points = key_points(picture, 100);
  ASSERT_EQ(points.size(), 100U);
  const auto above = std::count_if(points.begin(), points.end(),
                                   [](const KeyPoint& point) { return point.y < 170; });
  EXPECT_GT(above, 30);
}

TEST(KeyPoints, AreNoneWhereNothingIs) {
  EXPECT_TRUE(key_points({200, 100, 1, std::vector<std::uint8_t>(20000, 77)}, 100).empty());
  EXPECT_TRUE(key_points({}, 100).empty());
  for (const std::uint32_t side : {1U, 15U, 16U, 17U, 33U})
    EXPECT_LE(key_points(spots(5, side, 300), 10).size(), 10U) << side;
  EXPECT_TRUE(key_points(spots(6), 0).empty());
}

}  // namespace
}  // namespace benzer
