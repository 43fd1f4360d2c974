// What the codecs share: each is a function that gives its rows to a canvas.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "image/codecs/shrink.h"
#include "image/decoder.h"

namespace benzer {

// Why there is no picture, to be read behind "FILE: ".
class ImageProblem : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline constexpr const char* kEndsTooEarly = "the file ends too early";

// Takes the rows of an image from the top, in whatever channels its format has, and makes of them
// the picture that was asked for. Colour becomes grey as (299 R + 587 G + 114 B + 500) / 1000, and
// what is transparent is seen on white. ICC profiles are ignored: what is compared here are
// pictures of the same kind, and few have another profile than sRGB.
class Canvas {
 public:
  Canvas(const DecodeRequest& request, const ImageLimits& limits)
      : request_(request), limits_(limits) {}

  bool colour() const noexcept { return request_.colour; }
  const ImageLimits& limits() const noexcept { return limits_; }
  ImageSize size() const noexcept { return size_; }
  ImageSize target() const noexcept { return fitted(size_, request_.longest); }
  std::uint32_t longest() const noexcept { return request_.longest; }

  // From the header, before anything is allocated. Throws ImageProblem beyond the limit.
  void set_size(std::uint64_t width, std::uint64_t height);
  // As EXIF counts: 1 to 8; 1 is upright.
  void set_orientation(int orientation) noexcept { orientation_ = orientation; }

  // The codec may have made it smaller already, but not smaller than target().
  void begin_rows(ImageSize rows);
  // 1: grey; 2: grey and alpha; 3: red, green, blue; 4: and alpha. begin_rows' height times.
  void add_row(const std::uint8_t* row, int channels);

  // Upright, as size_ will be after it.
  Picture finish();

 private:
  const DecodeRequest request_;
  const ImageLimits limits_;
  ImageSize size_;
  ImageSize rows_;
  int orientation_ = 1;
  std::vector<std::uint8_t> row_;
  std::optional<Shrinker> shrinker_;
};

// Each throws ImageProblem, or std::bad_alloc.
void decode_jpeg(std::string_view bytes, Canvas& canvas);
void decode_png(std::string_view bytes, Canvas& canvas);
void decode_webp(std::string_view bytes, Canvas& canvas);
void decode_gif(std::string_view bytes, Canvas& canvas);
void decode_pnm(std::string_view bytes, Canvas& canvas);

}  // namespace benzer
