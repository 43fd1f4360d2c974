// What a decoder and its child say to each other over a socket: first the limits, and that the
// child has given up its rights; then for each image a request and its bytes, an answer and its
// problem or its pixels. Both are the same build.
#pragma once

#include <cstdint>
#include <type_traits>

#include "image/decoder.h"

namespace benzer::image_child {

struct Request {
  std::uint64_t bytes = 0;
  std::uint32_t longest = 0;
  std::uint32_t colour = 0;
};

struct Answer {
  std::uint32_t format = 0;  // ImageFormat
  std::uint32_t width = 0, height = 0;
  std::uint32_t picture_width = 0, picture_height = 0;  // 0 if there is a problem
  std::uint32_t problem_bytes = 0;
};

inline constexpr std::uint32_t kReady = 0x72656479;
inline constexpr std::uint32_t kMostProblemBytes = 400;

static_assert(std::is_trivially_copyable_v<ImageLimits>);

}  // namespace benzer::image_child
