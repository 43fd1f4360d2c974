// Smaller pictures: each pixel is the mean of the area that it covers.
#pragma once

#include <cstdint>
#include <vector>

#include "image/picture.h"
#include "image/size.h"

namespace benzer {

// So that the sum of a column has 32 bits, and that of an area is exact in a double.
inline constexpr std::uint32_t kLongestSide = 1 << 24;

// Takes rows from the top and holds the sum of a few. Weights are the exact areas, as whole
// numbers, and each mean is rounded to the nearest: the result depends on nothing but the pixels.
class Shrinker {
 public:
  // `to` is in neither direction larger than `from`, and has no side of 0.
  Shrinker(ImageSize from, ImageSize to, std::uint32_t channels);

  void add_row(const std::uint8_t* row);  // from.height times
  Picture take() { return std::move(picture_); }

 private:
  // Of a row, in parts of a pixel of which each has to.width: an output pixel covers from.width.
  struct Span {
    std::uint64_t first_weight, last_weight;
    std::uint32_t first, whole;  // pixels between the first and the last are covered entirely
  };

  template <std::uint32_t kChannels>
  void emit();

  ImageSize from_, to_;
  std::uint32_t missing_;  // of the output row, in parts of a row of which each has to.height
  std::vector<Span> spans_;
  std::vector<std::uint32_t> columns_;  // sums of what the output row has of each
  std::size_t done_ = 0;                // bytes of the picture
  Picture picture_;
};

}  // namespace benzer
