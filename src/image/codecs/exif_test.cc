#include "image/codecs/exif.h"

#include <string>

#include <gtest/gtest.h>

#include "image/codecs/make_images_test_util.h"

namespace benzer {
namespace {

TEST(ImageExifTest, BothByteOrdersAndBothBeginnings) {
  for (int orientation = 1; orientation <= 8; ++orientation) {
    for (const bool big : {false, true}) {
      const std::string block = exif(orientation, big);
      EXPECT_EQ(exif_orientation(block), orientation);
      EXPECT_EQ(exif_orientation(std::string_view(block).substr(6)), orientation);
    }
  }
}

TEST(ImageExifTest, WhatIsDamagedIsUpright) {
  for (const int orientation : {0, 9, 0xffff}) EXPECT_EQ(exif_orientation(exif(orientation)), 1);
  EXPECT_EQ(exif_orientation(""), 1);
  EXPECT_EQ(exif_orientation("no TIFF"), 1);
  const std::string block = exif(6);
  // The orientation ends 6 bytes before the block: its padding and the next directory follow.
  for (std::size_t size = 0; size < block.size() - 6; ++size)
    EXPECT_EQ(exif_orientation(block.substr(0, size)), 1) << size;
  for (std::size_t at = 0; at < block.size(); ++at) {
    for (const char value : {'\0', '\x7f', '\xff'}) {
      std::string damaged = block;
      damaged[at] = value;
      const int found = exif_orientation(damaged);
      EXPECT_TRUE(found >= 1 && found <= 8);
    }
  }
}

// Letters as pixels, so that a row is a string.
Picture lettered(const std::vector<std::string>& rows) {
  return painted(static_cast<std::uint32_t>(rows[0].size()),
                 static_cast<std::uint32_t>(rows.size()), 1, [&](int x, int y, int) {
                   return rows[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)];
                 });
}

TEST(ImageExifTest, EachOrientationIsTurnedUpright) {
  // How a camera stores "abc/def" with each orientation.
  const std::vector<std::vector<std::string>> stored = {
      {"abc", "def"},     {"cba", "fed"},     {"fed", "cba"},     {"def", "abc"},
      {"ad", "be", "cf"}, {"cf", "be", "ad"}, {"fc", "eb", "da"}, {"da", "eb", "fc"}};
  for (int orientation = 1; orientation <= 8; ++orientation)
    EXPECT_EQ(upright(lettered(stored[static_cast<std::size_t>(orientation - 1)]), orientation),
              lettered({"abc", "def"}))
        << orientation;
}

TEST(ImageExifTest, ChannelsStayTogether) {
  const Picture stored{2, 1, 3, {1, 2, 3, 4, 5, 6}};
  EXPECT_EQ(upright(stored, 2), (Picture{2, 1, 3, {4, 5, 6, 1, 2, 3}}));
  EXPECT_EQ(upright(stored, 6), (Picture{1, 2, 3, {1, 2, 3, 4, 5, 6}}));
  EXPECT_EQ(upright(stored, 8), (Picture{1, 2, 3, {4, 5, 6, 1, 2, 3}}));
}

}  // namespace
}  // namespace benzer
