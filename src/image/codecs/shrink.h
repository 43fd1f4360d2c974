// Makes images smaller: each output pixel is the mean of the area that it covers.
#pragma once

#include <cstdint>
#include <vector>

#include "image/picture.h"
#include "image/size.h"

namespace benzer {

// With sides up to this, the sum of a column fits into 32 bits, and that of an area is exact in a
// double.
inline constexpr std::uint32_t kLongestSide = 1 << 24;

// Takes the rows of an image from the top, and keeps only the sums of one output row. Weights are
// the exact areas as whole numbers, and each mean is rounded to the nearest, so the result depends
// on the pixels alone.
class Shrinker {
 public:
  // `to` must not be larger than `from` in either direction, and must have no side of 0.
  Shrinker(ImageSize from, ImageSize to, std::uint32_t channels);

  void add_row(const std::uint8_t* row);  // to be called from.height times
  Picture take() { return std::move(picture_); }

 private:
  // The input pixels that an output pixel covers in a row. Weights are in parts of a pixel: a pixel
  // has to.width of them, and an output pixel covers from.width.
  struct Span {
    std::uint64_t first_weight, last_weight;
    std::uint32_t first, whole;  // pixels between the first and the last are covered entirely
  };

  template <std::uint32_t kChannels>
  void emit();

  ImageSize from_, to_;
  std::uint32_t missing_;  // of the output row, in parts of a row: a row has to.height
  std::vector<Span> spans_;
  std::vector<std::uint32_t> columns_;  // sums of each column over the output row
  std::size_t done_ = 0;                // bytes of the image that are final
  Picture picture_;
};

}  // namespace benzer
