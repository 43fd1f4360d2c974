// Checks what an image of each format looks like once it is decoded.
#include "image/codecs/decode.h"

#include <algorithm>
#include <cstdlib>

#include <gtest/gtest.h>
#include <zlib.h>

#include "base/sanitized.h"
#include "image/codecs/make_images_test_util.h"
#include "image/size.h"

namespace benzer {
namespace {

constexpr DecodeRequest kGrey{false, 512};
constexpr DecodeRequest kColour{true, 512};

DecodedImage decoded(const std::string& bytes, const DecodeRequest& request = kColour) {
  return decode_image(bytes, request, {});
}

Picture grey_of(const Picture& colour) {
  return painted(colour.width, colour.height, 1, [&](int x, int y, int) {
    const std::uint8_t* at =
        &colour.pixels[(static_cast<std::size_t>(y) * colour.width + static_cast<std::size_t>(x)) *
                       3];
    return (299 * at[0] + 587 * at[1] + 114 * at[2] + 500) / 1000;
  });
}

// The largest difference of two pixels; 1000 if the shapes differ.
int difference(const Picture& a, const Picture& b) {
  if (a.width != b.width || a.height != b.height || a.channels != b.channels) return 1000;
  int out = 0;
  for (std::size_t i = 0; i < a.pixels.size(); ++i)
    out = std::max(out, std::abs(a.pixels[i] - b.pixels[i]));
  return out;
}

struct Case {
  std::string name, bytes, format;
  Picture colour;
  int tolerance;
};

Picture solid(int red, int green, int blue) {
  return painted(20, 10, 3, [&](int, int, int c) { return c == 0 ? red : c == 1 ? green : blue; });
}

Picture grey_in_colour(const Picture& grey) {
  return painted(grey.width, grey.height, 3, [&](int x, int y, int) {
    return grey.pixels[static_cast<std::size_t>(y) * grey.width + static_cast<std::size_t>(x)];
  });
}

std::vector<Case> cases() {
  std::vector<Case> out;
  const Picture smooth = gradient(61, 47, 3);
  for (const Picture& picture : {smooth, solid(255, 0, 0), solid(10, 200, 30), solid(0, 0, 255)}) {
    out.push_back({"JPEG", jpeg(picture), "JPEG", picture, 4});
    JpegSettings progressive;
    progressive.progressive = true;
    out.push_back({"progressive JPEG", jpeg(picture, progressive), "JPEG", picture, 4});
    JpegSettings plain;
    plain.plain_rgb = true;
    out.push_back({"JPEG in RGB", jpeg(picture, plain), "JPEG", picture, 4});
    out.push_back({"PNG", png(picture), "PNG", picture, 0});
    PngSettings interlaced;
    interlaced.interlaced = true;
    out.push_back({"interlaced PNG", png(picture, interlaced), "PNG", picture, 0});
    out.push_back({"WebP without loss", webp(picture, true), "WebP", picture, 0});
    out.push_back({"PPM", pnm(picture), "PNM", picture, 0});
  }
  out.push_back({"WebP", webp(smooth, false), "WebP", smooth, 8});
  const Picture grey = gradient(61, 47, 1);
  out.push_back({"grey JPEG", jpeg(grey), "JPEG", grey_in_colour(grey), 3});
  out.push_back({"grey PNG", png(grey), "PNG", grey_in_colour(grey), 0});
  out.push_back({"PGM", pnm(grey), "PNM", grey_in_colour(grey), 0});
  return out;
}

TEST(ImageDecodeTest, EveryFormatInColourAndGrey) {
  for (const Case& c : cases()) {
    const DecodedImage colour = decoded(c.bytes);
    EXPECT_EQ(colour.problem, "") << c.name;
    EXPECT_STREQ(colour.format, c.format.c_str());
    EXPECT_EQ(colour.width, c.colour.width);
    EXPECT_EQ(colour.height, c.colour.height);
    EXPECT_LE(difference(colour.picture, c.colour), c.tolerance) << c.name;
    const DecodedImage grey = decoded(c.bytes, kGrey);
    EXPECT_EQ(grey.problem, "") << c.name;
    EXPECT_LE(difference(grey.picture, grey_of(c.colour)), c.tolerance) << c.name;
  }
}

TEST(ImageDecodeTest, LargePicturesBecomeSmaller) {
  const Picture large = gradient(900, 700, 3);
  for (const auto& [name, bytes] : {std::pair{"JPEG", jpeg(large)},
                                    {"PNG", png(large)},
                                    {"WebP", webp(large, true)},
                                    {"lossy WebP", webp(large, false)},
                                    {"PNM", pnm(large)}}) {
    for (const std::uint32_t longest : {1u, 7u, 100u, 113u, 450u, 512u, 899u, 900u, 2000u}) {
      if (kSanitized && longest % 10 == 0) continue;
      const DecodedImage out = decoded(bytes, {true, longest});
      const ImageSize size = fitted({900, 700}, longest);
      EXPECT_EQ(out.width, 900u);
      EXPECT_EQ(out.height, 700u);
      ASSERT_EQ(out.picture.width, size.width) << name;
      ASSERT_EQ(out.picture.height, size.height) << name;
      const int tolerance = 10 + 200 / static_cast<int>(longest);
      EXPECT_LE(difference(out.picture, gradient(size.width, size.height, 3)), tolerance)
          << name << " " << longest;
    }
  }
}

// libjpeg rounds the shorter side up, and fitted() to the nearest: an image must never be enlarged.
TEST(ImageDecodeTest, JpegsOfEverySizeFit) {
  for (std::uint32_t width = 120; width < 150; ++width) {
    for (const std::uint32_t height : {1u, width / 3, width - 1}) {
      const std::string bytes = jpeg(painted(width, height, 1, [](int, int, int) { return 90; }));
      for (const std::uint32_t longest : {13u, 16u, 31u, 64u, 75u}) {
        const DecodedImage out = decoded(bytes, {false, longest});
        EXPECT_EQ((ImageSize{out.picture.width, out.picture.height}),
                  fitted({width, height}, longest));
        for (const std::uint8_t pixel : out.picture.pixels) EXPECT_NEAR(pixel, 90, 1);
      }
    }
  }
}

TEST(ImageDecodeTest, OrientationOfEachFormat) {
  const Picture picture = gradient(24, 16, 3);
  const Picture turned = painted(16, 24, 3, [&](int x, int y, int c) {  // a quarter clockwise
    return picture.pixels[static_cast<std::size_t>(((15 - x) * 24 + y) * 3 + c)];
  });
  JpegSettings in_jpeg;
  in_jpeg.exif = exif(6, true);
  PngSettings in_png, behind;
  in_png.exif = behind.exif = exif(6);
  behind.exif_behind = true;
  for (const std::string& bytes :
       {jpeg(picture, in_jpeg), png(picture, in_png), png(picture, behind),
        webp_with_exif(picture, exif(6)), webp_with_exif(picture, exif(6).substr(6))}) {
    const DecodedImage out = decoded(bytes);
    EXPECT_EQ(out.width, 16u) << out.format;
    EXPECT_EQ(out.height, 24u);
    EXPECT_LE(difference(out.picture, turned), 4) << out.format << out.problem;
  }
}

TEST(ImageDecodeTest, InksOfFourColours) {
  // Cyan, magenta, yellow and black, 255 is full ink: an ink leaves 255 - value of the light.
  const Picture inks = painted(16, 16, 4, [](int, int, int c) { return 51 * c; });
  const Picture expected =
      painted(16, 16, 3, [](int, int, int c) { return (255 - 51 * c) * (255 - 153) / 255; });
  EXPECT_LE(difference(decoded(jpeg(inks)).picture, expected), 3);
  const Picture missing = painted(16, 16, 4, [](int, int, int c) { return 255 - 51 * c; });
  JpegSettings adobe;
  adobe.adobe_inks = true;
  EXPECT_LE(difference(decoded(jpeg(missing, adobe)).picture, expected), 3);
  EXPECT_LE(difference(decoded(jpeg(missing, adobe), kGrey).picture, grey_of(expected)), 3);
}

TEST(ImageDecodeTest, PngOfEveryDepth) {
  const Picture deep = painted(10, 4, 6, [](int x, int, int c) { return c % 2 ? 77 : 20 * x + c; });
  PngSettings sixteen;
  sixteen.bits = 16;
  std::string bytes = png({10, 4, 3, deep.pixels}, sixteen);
  EXPECT_LE(difference(decoded(bytes).picture,
                       painted(10, 4, 3, [](int x, int, int c) { return 20 * x + 2 * c; })),
            1);
  for (const int bits : {1, 2, 4}) {
    PngSettings few;
    few.bits = bits;
    const int most = (1 << bits) - 1;
    bytes = png(painted(9, 3, 1, [&](int x, int, int) { return x & most; }), few);
    EXPECT_EQ(decoded(bytes, kGrey).picture,
              painted(9, 3, 1, [&](int x, int, int) { return (x & most) * 255 / most; }));
  }
}

TEST(ImageDecodeTest, PaletteAndWhatIsTransparentInIt) {
  PngSettings settings;
  settings.palette = {{200, 10, 20}, {0, 0, 0}, {0, 0, 0}, {1, 2, 3}};
  settings.transparency = {255, 0, 127};
  const Picture indices = painted(4, 2, 1, [](int x, int, int) { return x; });
  const DecodedImage out = decoded(png(indices, settings));
  EXPECT_EQ(out.picture, painted(4, 2, 3, [&](int x, int, int c) {
              const int expected[4][3] = {
                  {200, 10, 20}, {255, 255, 255}, {128, 128, 128}, {1, 2, 3}};
              return expected[x][c];
            }));
  PngSettings grey;
  grey.transparent_grey = 2;
  EXPECT_EQ(decoded(png(indices, grey), kGrey).picture,
            painted(4, 2, 1, [](int x, int, int) { return x == 2 ? 255 : x; }));
}

TEST(ImageDecodeTest, AlphaIsOnWhite) {
  const Picture see_through =
      painted(51, 8, 4, [](int x, int, int c) { return c == 3 ? 5 * x : 40 * c; });
  const Picture expected = painted(51, 8, 3, [](int x, int, int c) {
    return (40 * c * 5 * x + 255 * (255 - 5 * x) + 127) / 255;
  });
  EXPECT_EQ(decoded(png(see_through)).picture, expected);
  EXPECT_LE(difference(decoded(webp(see_through, true)).picture, expected), 2);
  EXPECT_LE(difference(decoded(webp(see_through, false)).picture, expected), 8);
  const Picture grey = painted(51, 8, 2, [](int x, int, int c) { return c == 1 ? 5 * x : 0; });
  EXPECT_EQ(decoded(png(grey), kGrey).picture,
            painted(51, 8, 1, [](int x, int, int) { return 255 - 5 * x; }));
}

// Transparent pixels do not count in the mean.
TEST(ImageDecodeTest, AlphaIsOnWhiteBeforePicturesBecomeSmaller) {
  const Picture stripes =
      painted(64, 64, 4, [](int x, int, int c) { return c == 3 ? (x % 2) * 255 : 0; });
  for (const std::string& bytes : {png(stripes), webp(stripes, true)})
    for (const std::uint8_t pixel : decoded(bytes, {false, 32}).picture.pixels)
      EXPECT_NEAR(pixel, 128, 1);
}

TEST(ImageDecodeTest, FirstFrameOfAGif) {
  const std::vector<GifColorType> global = {{9, 8, 7}, {255, 0, 0}, {0, 255, 0}, {0, 0, 255}};
  const Picture indices = painted(5, 9, 1, [](int x, int y, int) { return (x + y) % 4; });
  const auto expected = [&](int transparent, const std::vector<GifColorType>& palette) {
    return painted(8, 12, 3, [&](int x, int y, int c) {
      const bool inside = x >= 2 && x < 7 && y >= 1 && y < 10;
      const int index = (x - 2 + y - 1) % 4;
      if (!inside || index == transparent) return 255;
      const GifColorType& colour = palette[static_cast<std::size_t>(index)];
      return static_cast<int>(c == 0 ? colour.Red : c == 1 ? colour.Green : colour.Blue);
    });
  };
  const GifFrame second{painted(8, 12, 1, [](int, int, int) { return 0; }), 0, 0, -1, false, {}};
  const std::vector<GifColorType> local = {{1, 1, 1}, {2, 2, 2}, {3, 3, 3}, {4, 4, 4}};
  for (const bool interlaced : {false, true}) {
    for (const int transparent : {-1, 2}) {
      GifFrame frame{indices, 2, 1, transparent, interlaced, {}};
      EXPECT_EQ(decoded(gif(8, 12, global, {frame, second})).picture,
                expected(transparent, global));
      frame.palette = local;
      EXPECT_EQ(decoded(gif(8, 12, global, {frame, second})).picture, expected(transparent, local));
      EXPECT_EQ(decoded(gif(8, 12, {}, {frame})).picture, expected(transparent, local));
    }
  }
  const DecodedImage cut = decoded(gif(4, 4, global, {{indices, 1, 2, -1, false, {}}}));
  EXPECT_EQ(cut.picture, painted(4, 4, 3, [&](int x, int y, int c) {
              if (x < 1 || y < 2) return 255;
              const GifColorType& colour = global[static_cast<std::size_t>((x + y - 3) % 4)];
              return static_cast<int>(c == 0 ? colour.Red : c == 1 ? colour.Green : colour.Blue);
            }));
}

TEST(ImageDecodeTest, FirstFrameOfAnAnimatedWebp) {
  const Picture red = solid(255, 0, 0), whole = gradient(30, 20, 3);
  EXPECT_EQ(decoded(animated_webp(30, 20, {{whole}, {red, 4, 2}})).picture, whole);
  EXPECT_EQ(decoded(animated_webp(30, 20, {{red, 4, 2}, {whole}})).picture,
            painted(30, 20, 3, [](int x, int y, int c) {
              const bool inside = x >= 4 && x < 24 && y >= 2 && y < 12;
              return inside && c > 0 ? 0 : 255;
            }));
}

// The PNG file with one more chunk of an animation, in front of those that it has.
std::string png_with_frames(const std::string& file, const std::string& frames) {
  std::string chunk = "acTL" + frames + std::string(4, '\0');
  const std::string size{0, 0, 0, static_cast<char>(frames.size() + 4)};
  std::uint32_t crc = static_cast<std::uint32_t>(
      ::crc32(0, reinterpret_cast<const Bytef*>(chunk.data()), static_cast<uInt>(chunk.size())));
  for (int shift = 24; shift >= 0; shift -= 8) chunk += static_cast<char>(crc >> shift & 255);
  return std::string(file).insert(33, size + chunk);
}

TEST(ImageDecodeTest, AnimationsAreTold) {
  const std::vector<GifColorType> colours{{0, 0, 0}, {255, 255, 255}};
  const Picture frame = painted(20, 10, 1, [](int x, int y, int) { return (x ^ y) & 1; });
  const Picture tall = painted(20, 64, 1, [](int x, int y, int) { return (x * y) & 1; });
  GifFrame interlaced{.indices = frame, .interlaced = true};
  const std::string timed = gif(20, 10, colours, {{.indices = frame}});
  const std::string one = gif(20, 10, colours, {{.indices = frame, .delay = 0}});
  const auto without_trailer = [](const std::string& file) {
    return file.substr(0, file.size() - 1);
  };
  const std::string two = gif(20, 10, colours, {{.indices = frame}, {.indices = frame}});
  // The first frame ends where the trailer of `one` is.
  const auto with_stray_byte = [&](std::string file) {
    return file.insert(one.size() - 1, 1, '\0');
  };
  // The records of the first frame begin after the header of 13 bytes and the palette of 6.
  const auto repeating = [](std::string file) {
    return file.insert(13 + 6, std::string("!\xff\x0bNETSCAPE2.0\x03\x01\0\0\0", 19));
  };
  const std::string png_of_1 = png_with_frames(png(frame), std::string{0, 0, 0, 1});
  const std::string png_of_2 = png_with_frames(png(frame), std::string{0, 0, 0, 2});
  const struct {
    const char* name;
    std::string bytes;
    bool is_animation;
  } cases[] = {
      {"JPEG", jpeg(frame), false},
      {"PNM", pnm(frame), false},
      {"PNG", png(frame), false},
      {"PNG of 2", png_of_2, true},
      {"PNG of 1", png_of_1, false},
      {"PNG of 2 and 1", png_with_frames(png_of_1, std::string{0, 0, 0, 2}), true},
      {"PNG of 1 and 2", png_with_frames(png_of_2, std::string{0, 0, 0, 1}), true},
      {"PNG with a short chunk", png_with_frames(png(frame), "\x05"), false},
      {"GIF", gif(20, 10, colours, {{.indices = frame}}), false},
      {"GIF, interlaced", gif(20, 10, colours, {interlaced}), false},
      {"GIF of 2", two, true},
      {"GIF of 2, cut in the second", two.substr(0, two.size() - 5), true},
      {"GIF of 2, interlaced", gif(20, 10, colours, {interlaced, {.indices = frame}}), true},
      {"GIF with a frame below its end", gif(20, 10, colours, {{.indices = tall}}), false},
      {"the same, of 2", gif(20, 10, colours, {{.indices = tall}, {.indices = frame}}), true},
      {"the same, out of sight", gif(20, 10, colours, {{tall, 0, 30}, {.indices = frame}}), true},
      {"GIF without its trailer", without_trailer(one), false},
      {"GIF with a time, without its trailer", without_trailer(timed), true},
      {"GIF of 2, cut before the second", two.substr(0, one.size() - 1), true},
      {"GIF that repeats, without its trailer", repeating(without_trailer(one)), true},
      {"GIF that repeats, of 1", repeating(one), false},
      {"GIF with a stray byte after its frame", with_stray_byte(one), true},
      {"GIF of 2 with a stray byte between them", with_stray_byte(two), true},
      {"GIF with an extension that is cut", without_trailer(one) + "!\xfe\x02", true},
      {"PNM of 2", pnm(frame) + pnm(tall), true},
      {"PNM with a byte after it", pnm(frame) + "\n", false},
      {"WebP", webp(gradient(30, 20, 3), true), false},
      {"WebP of 1", animated_webp(30, 20, {{solid(255, 0, 0), 4, 2}}), false},
      {"WebP of 2", animated_webp(30, 20, {{gradient(30, 20, 3)}, {solid(255, 0, 0), 4, 2}}), true},
  };
  for (const auto& [name, bytes, is_animation] : cases) {
    const DecodedImage out = decoded(bytes);
    EXPECT_EQ(out.problem, "") << name;
    EXPECT_EQ(out.is_animation, is_animation) << name;
  }
}

// A white shape on transparency would be invisible on white. In all formats, grey and in colour.
TEST(ImageDecodeTest, LightDrawingsAreShownOnBlack) {
  const auto drawing = [](int grey, int transparent_rows) {
    return painted(40, 40, 4, [=](int, int y, int c) {
      return c < 3 ? grey : y < transparent_rows ? 0 : 255;
    });
  };
  const auto first = [](const Picture& picture) { return int{picture.pixels.front()}; };
  for (const DecodeRequest& request : {kGrey, kColour}) {
    EXPECT_EQ(first(decoded(png(drawing(255, 20)), request).picture), 0);
    EXPECT_EQ(first(decoded(webp(drawing(255, 20), true), request).picture), 0);
    EXPECT_EQ(first(decoded(png(drawing(192, 20)), request).picture), 0);
    EXPECT_EQ(first(decoded(png(drawing(191, 20)), request).picture), 255);
    EXPECT_EQ(first(decoded(png(drawing(0, 20)), request).picture), 255);
    EXPECT_EQ(first(decoded(png(drawing(255, 2)), request).picture), 0);  // a twentieth
    EXPECT_EQ(first(decoded(png(drawing(255, 1)), request).picture), 255);
    EXPECT_EQ(first(decoded(png(drawing(255, 40)), request).picture), 255);  // nothing is visible
    const Picture indices = painted(40, 40, 1, [](int, int y, int) { return y < 20 ? 0 : 1; });
    const std::string white =
        gif(40, 40, {{9, 9, 9}, {255, 255, 255}}, {{.indices = indices, .transparent = 0}});
    EXPECT_EQ(first(decoded(white, request).picture), 0);
  }
  const Picture grey =
      painted(40, 40, 2, [](int, int y, int c) { return c == 0 || y < 20 ? 255 : 0; });
  EXPECT_EQ(decoded(png(grey), kGrey).picture.pixels.back(), 0);
}

TEST(ImageDecodeTest, IgnoresWhatFollowsTheImage) {
  for (const Case& c : cases()) {
    const DecodedImage out = decoded(c.bytes + "something else");
    EXPECT_EQ(out.problem, "") << c.name;
    EXPECT_LE(difference(out.picture, c.colour), c.tolerance);
  }
}

}  // namespace
}  // namespace benzer
