#include "image/sift_match.h"

#include <cmath>

#include <gtest/gtest.h>

#include "image/area.h"
#include "image/picture_test_util.h"

namespace benzer {
namespace {

std::vector<std::uint64_t> features_of(const Picture& picture) {
  std::vector<std::uint64_t> out;
  add_sift_features(picture, VisualWords::built_in(), out);
  return out;
}

std::vector<VisualWord> words_of(const Picture& picture) {
  return read_sift_features(features_of(picture));
}

TEST(SiftFeatures, AreReadBackInAnyOrder) {
  const Picture picture = spots(1);
  std::vector<std::uint64_t> features = features_of(picture);
  const std::vector<VisualWord> words = read_sift_features(features);
  const std::vector<KeyPoint> points = key_points(picture, kMostPoints);
  ASSERT_EQ(words.size(), points.size());
  for (const KeyPoint& point : points) {
    const VisualWords::Word wanted = VisualWords::built_in().word(point.descriptor);
    EXPECT_TRUE(std::any_of(words.begin(), words.end(), [&](const VisualWord& word) {
      return word.number == wanted.number && word.side == wanted.side &&
             word.weight == wanted.weight && std::abs(word.x - point.x) <= 0.5f &&
             std::abs(word.y - point.y) <= 0.5f &&
             std::abs(word.size - std::log2(point.size)) <= 0.125f &&
             std::abs(std::remainder(word.angle - point.angle / 6.2831853f, 1.0f)) <= 1 / 127.0f;
    }));
  }
  std::reverse(features.begin(), features.end());
  EXPECT_EQ(read_sift_features(features), words);
}

TEST(SiftMatch, FindsPartsAndSaysWhereTheyLie) {
  const Picture whole = spots(2);
  const std::vector<VisualWord> words = words_of(whole);
  const SiftMatch part = match(words_of(part_of(whole, 100, 60, 160, 120)), words);
  EXPECT_GT(part.score, 0.5);
  EXPECT_GE(part.agree, 15U);
  EXPECT_LE(part.agree, part.visible);
  const AffineMap moved{.m = {1, 0, 100, 0, 1, 60}};
  for (std::size_t i = 0; i < moved.m.size(); ++i)
    EXPECT_NEAR(part.map.m[i], moved.m[i], i % 3 == 2 ? 1.5 : 0.02) << i;
  // Larger, and turned: the top left pixel becomes the top right one.
  const SiftMatch other = match(words, words_of(turned(area_resized(whole, 448, 336), 1)));
  EXPECT_GT(other.score, 0.3);
  const AffineMap larger{.m = {0, -1.4f, 335, 1.4f, 0, 0}};
  for (std::size_t i = 0; i < larger.m.size(); ++i)
    EXPECT_NEAR(other.map.m[i], larger.m[i], i % 3 == 2 ? 2.5 : 0.03) << i;
  const AffineMap back = inverse(other.map);
  EXPECT_NEAR(back.m[0] * 100 + back.m[1] * 50 + back.m[2],
              (inverse(larger).m[0] * 100 + inverse(larger).m[1] * 50 + inverse(larger).m[2]), 3);
}

TEST(SiftSimilarity, IsOneForTheSameAndSmallForStrangersFromBothSides) {
  std::vector<std::vector<VisualWord>> all;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) all.push_back(words_of(spots(seed)));
  // An image in which everything looks alike.
  Picture blinds{300, 200, 1, {}};
  for (std::uint32_t i = 0; i < 60000; ++i)
    blinds.pixels.push_back(
        static_cast<std::uint8_t>(i / 300 % 12 < 6 || i % 300 % 40 < 3 ? 40 : 200));
  all.push_back(words_of(blinds));
  all.push_back({});
  for (const auto& a : all)
    for (const auto& b : all) {
      const double score = sift_similarity(a, b);
      EXPECT_EQ(score, sift_similarity(b, a));
      if (&a == &b) {
        EXPECT_EQ(score, a.empty() ? 0 : 1);
      } else {
        EXPECT_LT(score, kSiftThreshold);
      }
    }
}

TEST(SiftSimilarity, OfAnyNumbersIsAScore) {
  TestRandom random(9);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<std::uint64_t> a = random.numbers(random.below(300)), b = random.numbers(100);
    // Few different words, so that they match; and all points at one place, or on a line.
    for (auto* features : {&a, &b})
      for (std::uint64_t& feature : *features) {
        feature &= 0x000F'0003'FFFF'FFFF;
        if (trial % 3 == 1) feature &= ~(std::uint64_t{0x3FFFF} << 14);
        if (trial % 3 == 2) feature &= ~(std::uint64_t{0x1FF} << 14);
      }
    const double score = sift_similarity(read_sift_features(a), read_sift_features(b));
    EXPECT_GE(score, 0);
    EXPECT_LE(score, 1);
  }
}

}  // namespace
}  // namespace benzer
