// Defines what a decoder and its child send each other over a socket. First the parent sends the
// limits, and the child says that it has dropped its privileges. Then, for each image, the parent
// sends a request and the bytes of the file, and the child an answer and either a problem or
// pixels. To encode, the parent sends a request and pixels, and the child an answer and either a
// problem or the bytes of a JPEG file. Both sides are of the same build, so structs are sent as
// they are.
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
  // Of the image to encode; 0 in a request to decode.
  std::uint32_t width = 0, height = 0, channels = 0;
};

struct Answer {
  std::uint32_t format = 0;  // ImageFormat
  std::uint32_t width = 0, height = 0;
  std::uint32_t picture_width = 0, picture_height = 0;  // 0 if there is a problem
  std::uint32_t problem_bytes = 0;
  std::uint64_t file_bytes = 0;    // of the JPEG file, if the request was to encode
  std::uint64_t is_animation = 0;  // 0 or 1
};

inline constexpr std::uint32_t kReady = 0x72656479;
inline constexpr std::uint32_t kMostProblemBytes = 400;

// The longest side that can be encoded, in pixels.
inline constexpr std::uint32_t kLongestEncoded = 2048;

// Whether an image of this shape can be encoded. Parent and child both check it.
inline bool can_be_encoded(std::uint32_t width, std::uint32_t height, std::uint32_t channels,
                           std::uint64_t bytes) noexcept {
  return width > 0 && height > 0 && width <= kLongestEncoded && height <= kLongestEncoded &&
         (channels == 1 || channels == 3) && bytes == std::uint64_t{width} * height * channels;
}

// The most bytes that an encoded file may have. Noise takes about a byte a value; the rest is for
// headers.
inline std::uint64_t most_file_bytes(const Picture& picture) noexcept {
  return 2 * picture.pixels.size() + 8192;
}

static_assert(std::is_trivially_copyable_v<ImageLimits>);

}  // namespace benzer::image_child
