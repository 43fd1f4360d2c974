// Decodes damaged and malicious files: each gives an image or a problem, and nothing else happens.
#include <random>

#include <gtest/gtest.h>
#include <zlib.h>

#include "image/codecs/decode.h"
#include "image/codecs/make_images_test_util.h"
#include "image/size.h"

namespace benzer {
namespace {

ImageLimits small_limits() {
  ImageLimits limits;
  limits.pixels = 100'000;
  limits.memory_bytes = 64 << 20;
  return limits;
}

// Checks what holds for every result.
DecodedImage checked(const std::string& bytes, const DecodeRequest& request = {}) {
  DecodedImage out = decode_image(bytes, request, small_limits());
  EXPECT_EQ(out.problem.empty(), !out.picture.empty());
  if (out.problem.empty()) {
    const Picture& picture = out.picture;
    EXPECT_EQ((ImageSize{picture.width, picture.height}),
              fitted({out.width, out.height}, request.longest));
    EXPECT_EQ(picture.channels, request.colour ? 3u : 1u);
    EXPECT_EQ(picture.pixels.size(),
              std::size_t{picture.width} * picture.height * picture.channels);
  }
  return out;
}

struct Sample {
  std::string bytes;
  bool shows_cuts;  // a file that is cut before its last bytes is a problem
};

std::vector<Sample> samples() {
  const Picture colour = gradient(40, 30, 3), grey = gradient(40, 30, 1);
  JpegSettings progressive, turned;
  progressive.progressive = true;
  turned.exif = exif(8);
  PngSettings interlaced, palette;
  interlaced.interlaced = true;
  palette.palette.assign(256, {3, 2, 1});
  const std::vector<GifColorType> colours(256, {1, 2, 3});
  return {{jpeg(colour, turned), true},
          {jpeg(colour, progressive), true},
          {jpeg(gradient(16, 16, 4)), true},
          {png(colour), true},
          {png(grey, interlaced), true},
          {png(grey, palette), true},
          {webp(colour, false), true},
          {webp(gradient(40, 30, 4), true), true},
          {webp_with_exif(colour, exif(3)), true},
          {animated_webp(60, 40, {{colour, 4, 4}, {colour}}), true},
          {gif(50, 40, colours, {{grey, 1, 1, 7, false, {}}, {grey}}), false},
          {gif(50, 40, colours, {{grey, 1, 1, 7, true, {}}}), true},
          {pnm(colour), true}};
}

TEST(ImageHostileTest, CutAtEveryByte) {
  for (const Sample& sample : samples()) {
    const DecodedImage whole = checked(sample.bytes);
    ASSERT_EQ(whole.problem, "");
    for (std::size_t size = 0; size < sample.bytes.size(); ++size) {
      const DecodedImage cut = checked(sample.bytes.substr(0, size));
      // The last bytes are the end marks.
      if (sample.shows_cuts && size + 24 < sample.bytes.size()) {
        EXPECT_NE(cut.problem, "") << whole.format << " " << size << " of " << sample.bytes.size();
      }
      // A cut file that decodes gives the whole image.
      if (cut.problem.empty()) {
        EXPECT_EQ(cut.picture, whole.picture) << whole.format << " " << size;
      }
    }
  }
}

TEST(ImageHostileTest, BytesFlippedAnywhere) {
  std::mt19937 random(11);
  for (const Sample& sample : samples()) {
    for (int i = 0; i < 1500; ++i) {
      std::string bytes = sample.bytes;
      for (unsigned flips = 1 + random() % 4; flips > 0; --flips) {
        // More often in the header, where sizes and offsets are.
        const std::size_t range =
            random() % 2 ? bytes.size() : std::min<std::size_t>(64, bytes.size());
        bytes[random() % range] = static_cast<char>(random());
      }
      checked(bytes, {i % 2 == 0, i % 3 == 0 ? 17u : 512u});
    }
  }
}

TEST(ImageHostileTest, SentencesForWhatIsNoImage) {
  EXPECT_EQ(checked("").problem, "it is empty");
  EXPECT_EQ(checked("x").problem, "it is not a JPEG, PNG, WebP, GIF or PNM image");
  EXPECT_EQ(checked("plain text, and long enough").problem,
            "it is not a JPEG, PNG, WebP, GIF or PNM image");
  EXPECT_EQ(checked("\xff\xd8\xff").problem, "the file ends too early");
  EXPECT_EQ(checked("\x89PNG\r\n\x1a\n").problem, "the file ends too early");
  EXPECT_EQ(checked(std::string("RIFF\x1a\0\0\0WEBP", 12)).problem, "the file ends too early");
  EXPECT_EQ(checked("GIF89a").problem, "the file ends too early");
  EXPECT_EQ(checked("P6").problem, "the file ends too early");
  EXPECT_EQ(checked("P5 2 2 65535 abcdefgh").problem, "its largest value is 65535; allowed is 255");
  EXPECT_EQ(checked("P5 2 x").problem, "its header has something that is not a number");
  EXPECT_EQ(checked("P5 99999999999 1 255 ").problem, "a number of its header is too large");
  EXPECT_EQ(checked("P5 0 1 255 ").problem, "it has 0 x 1 pixels");
  EXPECT_EQ(checked("P5 # a comment\n#another\n1 1\n255\n~").picture.pixels,
            std::vector<std::uint8_t>{'~'});
}

void put_big(std::string& bytes, std::size_t at, std::uint32_t value, int size) {
  for (int i = 0; i < size; ++i)
    bytes[at + static_cast<std::size_t>(i)] = static_cast<char>(value >> (8 * (size - 1 - i)));
}

TEST(ImageHostileTest, RefusedByTheHeaderAlone) {
  const Picture picture = gradient(8, 8, 3);
  DecodedImage out = checked("P6 100000 100000 255 ");
  EXPECT_EQ(out.problem, "it has 100000 x 100000 pixels; allowed are 100000");
  EXPECT_EQ(out.width, 100'000u);
  EXPECT_EQ(decode_image("P6 100000 100000 255 ", {}, {}).problem,
            "it has 100000 x 100000 pixels; allowed are 64 million");

  EXPECT_EQ(decode_image("P5 16777217 1 255 ", {}, {}).problem,
            "it has 16777217 x 1 pixels; a side has at most 16777216");

  std::string large = jpeg(picture);
  const std::size_t frame = large.find("\xff\xc0");
  ASSERT_NE(frame, std::string::npos);
  put_big(large, frame + 5, 65'000, 2);
  put_big(large, frame + 7, 64'000, 2);
  EXPECT_EQ(checked(large).problem, "it has 64000 x 65000 pixels; allowed are 100000");

  const std::string wide = gif(65'000, 65'000, {{1, 2, 3}, {1, 2, 3}}, {{gradient(8, 8, 1), 0, 0}});
  EXPECT_EQ(checked(wide).problem, "it has 65000 x 65000 pixels; allowed are 100000");
  EXPECT_EQ(checked(animated_webp(16'000, 16'001, {{picture}})).problem,
            "it has 16000 x 16001 pixels; allowed are 100000");
}

// Equal pixels compress to few bytes, and a scan over all of them to even fewer.
TEST(ImageHostileTest, BombsAreNotUnpacked) {
  const Picture blank = painted(400, 400, 1, [](int, int, int) { return 0; });
  EXPECT_EQ(checked(png(blank)).problem, "it has 400 x 400 pixels; allowed are 100000");
  JpegSettings many;
  many.scans = 120;
  EXPECT_EQ(checked(jpeg(gradient(64, 64, 1), many)).problem, "it has more than 100 scans");
  many.scans = 90;
  EXPECT_EQ(checked(jpeg(gradient(64, 64, 1), many)).problem, "");
}

// A profile or text in a chunk may unpack to many megabytes, and no code reads it.
TEST(ImageHostileTest, ChunksThatNobodyNeedsAreSkipped) {
  const Picture picture = gradient(8, 8, 3);
  std::string bytes = png(picture);
  for (const char* name : {"iCCP", "zTXt", "iTXt", "sPLT", "abCd"}) {
    std::string chunk(4, '\0');
    put_big(chunk, 0, 5000, 4);
    chunk += name + std::string(5000, 'x');
    std::string sum(4, '\0');
    put_big(sum, 0,
            static_cast<std::uint32_t>(
                ::crc32(0, reinterpret_cast<const Bytef*>(chunk.data() + 4), 5004)),
            4);
    bytes.insert(33, chunk + sum);
  }
  const DecodedImage out = checked(bytes, {true, 512});
  EXPECT_EQ(out.problem, "");
  EXPECT_EQ(out.picture, picture);
}

}  // namespace
}  // namespace benzer
