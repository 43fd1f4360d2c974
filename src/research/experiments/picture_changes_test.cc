#include "research/experiments/picture_changes.h"

#include <cmath>
#include <cstdlib>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "image/hashes.h"
#include "research/experiments/made_pictures.h"

namespace benzer::experiments {
namespace {

Picture changed(std::string_view name, const Picture& picture) {
  for (const PictureChange& change : picture_changes()) {
    if (change.name != name) continue;
    Draws draws(7);
    return change.apply(picture, draws);
  }
  ADD_FAILURE() << name;
  return picture;
}

double mean(const Picture& picture) {
  double sum = 0;
  for (const std::uint8_t grey : picture.pixels) sum += grey;
  return sum / static_cast<double>(picture.pixels.size());
}

double deviation(const Picture& picture) {
  const double middle = mean(picture);
  double sum = 0;
  for (const std::uint8_t grey : picture.pixels) sum += (grey - middle) * (grey - middle);
  return std::sqrt(sum / static_cast<double>(picture.pixels.size()));
}

// The share of pixels that differ between two images of the same size.
double share_changed(const Picture& a, const Picture& b) {
  EXPECT_EQ(a.pixels.size(), b.pixels.size());
  std::size_t out = 0;
  for (std::size_t i = 0; i < a.pixels.size(); ++i) out += a.pixels[i] != b.pixels[i] ? 1 : 0;
  return static_cast<double>(out) / static_cast<double>(a.pixels.size());
}

TEST(PictureChanges, HaveNamesAndKindsAndAreThoseOfTheirDraws) {
  std::set<std::string_view> names;
  const Picture picture = made_picture(3, 1);
  for (const PictureChange& change : picture_changes()) {
    EXPECT_TRUE(names.insert(change.name).second) << change.name;
    EXPECT_TRUE(change.kind == kPhotometric || change.kind == kMild || change.kind == kHard);
    Draws one(5), again(5);
    const Picture result = change.apply(picture, one);
    EXPECT_EQ(result, change.apply(picture, again)) << change.name;
    EXPECT_NE(result, picture) << change.name;
    EXPECT_EQ(result.pixels.size(), std::size_t{result.width} * result.height) << change.name;
    if (change.kind == kPhotometric) {
      EXPECT_EQ(result.width, picture.width) << change.name;
      EXPECT_EQ(result.height, picture.height) << change.name;
    }
  }
}

TEST(PictureChanges, DoWhatTheySay) {
  const Picture picture = made_picture(3, 2);  // a texture, with hardly any white or black
  EXPECT_NEAR(mean(changed("bright", picture)), 1.25 * mean(picture), 8);
  EXPECT_NEAR(mean(changed("dark", picture)), 0.75 * mean(picture), 1);
  EXPECT_GT(deviation(changed("contrast", picture)), 1.15 * deviation(picture));
  EXPECT_NEAR(mean(changed("blur", picture)), mean(picture), 1);
  EXPECT_LT(deviation(changed("blur", picture)), deviation(picture));
  EXPECT_GT(share_changed(changed("noise", picture), picture), 0.8);
  const std::set<std::uint8_t> levels = [&] {
    const Picture few = changed("levels", picture);
    return std::set<std::uint8_t>(few.pixels.begin(), few.pixels.end());
  }();
  EXPECT_LE(levels.size(), 8u);
  EXPECT_NEAR(share_changed(changed("watermark", picture), picture), 0.035, 0.01);
  EXPECT_NEAR(share_changed(changed("overlay", picture), picture), 0.3, 0.02);
}

TEST(PictureChanges, ChangeTheSizeAsTheySay) {
  const Picture picture = made_picture(3, 1);
  const auto size = [&](std::string_view name, double width, double height) {
    const Picture result = changed(name, picture);
    EXPECT_NEAR(result.width, picture.width * width, 1) << name;
    EXPECT_NEAR(result.height, picture.height * height, 1) << name;
  };
  size("scale50", 0.5, 0.5);
  size("scale25", 0.25, 0.25);
  size("stretch", 1, 0.8);
  size("crop5", 0.95, 0.95);
  size("crop20", 0.8, 0.8);
  size("crop50", 0.5, 0.5);
  const Picture quarter = changed("rot90", picture);
  EXPECT_EQ(quarter.width, picture.height);
  EXPECT_EQ(turned(quarter, 3), picture);
  EXPECT_EQ(turned(changed("rot180", picture), 2), picture);
  EXPECT_EQ(turned(changed("fliph", picture), 4), picture);
  const Picture frame = changed("border", picture);
  const std::uint32_t border = (frame.width - picture.width) / 2;
  EXPECT_EQ(frame.height, picture.height + 2 * border);
  EXPECT_EQ(frame.pixels[0], 0);
  EXPECT_EQ(frame.pixels[std::size_t{border} * frame.width + border], picture.pixels[0]);
}

TEST(PictureChanges, RotationKeepsTheMiddle) {
  const Picture picture = made_picture(3, 0);
  const Picture result = changed("rot2", picture);
  EXPECT_LT(result.width, picture.width);
  const auto grey = [](const Picture& of, std::uint32_t x, std::uint32_t y) {
    return static_cast<int>(of.pixels[std::size_t{y} * of.width + x]);
  };
  EXPECT_NEAR(grey(result, result.width / 2, result.height / 2),
              grey(picture, picture.width / 2, picture.height / 2), 16);
}

TEST(MadePictures, AreThoseOfTheirSeed) {
  for (std::uint64_t number = 0; number < 2 * kMadeKinds.size(); ++number) {
    const Picture picture = made_picture(1, number);
    EXPECT_EQ(picture, made_picture(1, number));
    EXPECT_NE(picture, made_picture(2, number));
    EXPECT_GE(std::min(picture.width, picture.height), 240u);
    EXPECT_GT(deviation(picture), 2);
  }
}

}  // namespace
}  // namespace benzer::experiments
