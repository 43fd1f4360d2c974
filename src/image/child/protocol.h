// What a decoder and its child say to each other over a socket: first the limits, and that the
// child has given up its rights; then for each image a request and its bytes, an answer and its
// problem or its pixels; or, to encode, a request and pixels, an answer and a problem or the bytes
// of a JPEG file. Both are the same build.
#pragma once

#include <cstdint>
#include <type_traits>

#include "image/decoder.h"
#include "image/picture.h"

namespace benzer::image_child {

struct Request {
  std::uint64_t bytes = 0;
  std::uint32_t longest = 0;
  std::uint32_t colour = 0;
  // To be encoded; 0: to be decoded.
  std::uint32_t width = 0, height = 0, channels = 0;
};

struct Answer {
  std::uint32_t format = 0;  // ImageFormat
  std::uint32_t width = 0, height = 0;
  std::uint32_t picture_width = 0, picture_height = 0;  // 0 if there is a problem
  std::uint32_t problem_bytes = 0;
  std::uint64_t file_bytes = 0;  // encoded
};

inline constexpr std::uint32_t kReady = 0x72656479;
inline constexpr std::uint32_t kMostProblemBytes = 400;

// Of what is encoded, in pixels of a side.
inline constexpr std::uint32_t kLongestEncoded = 2048;

// Both sides ask.
inline bool can_be_encoded(std::uint32_t width, std::uint32_t height, std::uint32_t channels,
                           std::uint64_t bytes) noexcept {
  return width > 0 && height > 0 && width <= kLongestEncoded && height <= kLongestEncoded &&
         (channels == 1 || channels == 3) && bytes == std::uint64_t{width} * height * channels;
}

// Noise takes about a byte a value; the rest are headers.
inline std::uint64_t most_file_bytes(const Picture& picture) noexcept {
  return 2 * picture.pixels.size() + 8192;
}

static_assert(std::is_trivially_copyable_v<ImageLimits>);

}  // namespace benzer::image_child
