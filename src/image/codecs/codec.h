// Declares the codecs and what they share: each is a function that gives the rows of an image to a
// canvas.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "image/codecs/shrink.h"
#include "image/decoder.h"

namespace benzer {

// Says why an image cannot be decoded, in words that follow "FILE: ".
class ImageProblem : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline constexpr const char* kEndsTooEarly = "the file ends too early";

// Takes the rows of an image from the top, in the channels of its format, and makes the requested
// image from them. Colour becomes grey as (299 R + 587 G + 114 B + 500) / 1000. Transparent pixels
// are shown on white, or on black if at least a twentieth of the image is transparent and what is
// visible has a mean grey of more than 191: on white, nothing would be left of a white drawing. ICC
// profiles are ignored: compared images are of the same kind, and
// few have another profile than sRGB.
class Canvas {
 public:
  Canvas(const DecodeRequest& request, const ImageLimits& limits)
      : request_(request), limits_(limits) {}

  bool colour() const noexcept { return request_.colour; }
  const ImageLimits& limits() const noexcept { return limits_; }
  ImageSize size() const noexcept { return size_; }
  ImageSize target() const noexcept { return fitted(size_, request_.longest); }
  std::uint32_t longest() const noexcept { return request_.longest; }

  // Called with the size in the header, before anything is allocated. Throws ImageProblem if it is
  // beyond the limit.
  void set_size(std::uint64_t width, std::uint64_t height);
  void set_animation(bool is_animation) noexcept { is_animation_ = is_animation; }
  bool is_animation() const noexcept { return is_animation_; }
  // In the numbers of EXIF: 1 to 8, where 1 is upright.
  void set_orientation(int orientation) noexcept { orientation_ = orientation; }

  // The rows may be those of an image that the codec has shrunk already, but not below target().
  void begin_rows(ImageSize rows);
  // Called begin_rows' height times, each time with as many channels. These are 1: grey; 2: grey,
  // alpha; 3: red, green, blue; 4: red, green, blue, alpha. is_multiplied: colours were multiplied
  // by alpha already.
  void add_row(const std::uint8_t* row, int channels, bool is_multiplied = false);

  // Returns the image turned upright; size() is then its upright size.
  Picture finish();

 private:
  const DecodeRequest request_;
  const ImageLimits limits_;
  ImageSize size_;
  ImageSize rows_;
  bool is_animation_ = false;
  int orientation_ = 1;
  bool is_light() const noexcept;

  std::vector<std::uint8_t> row_, row_on_black_;
  std::optional<Shrinker> shrinker_, on_black_;
  // Sums over all pixels of what is not transparent: of alpha, and of grey times alpha / 255.
  std::uint64_t alpha_ = 0, light_ = 0;
};

// Each throws ImageProblem if the image cannot be decoded, or std::bad_alloc.
void decode_jpeg(std::string_view bytes, Canvas& canvas);
void decode_png(std::string_view bytes, Canvas& canvas);
void decode_webp(std::string_view bytes, Canvas& canvas);
void decode_gif(std::string_view bytes, Canvas& canvas);
void decode_pnm(std::string_view bytes, Canvas& canvas);

}  // namespace benzer
