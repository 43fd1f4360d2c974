// From the bytes of an image file to pixels, and back to a small file. Image files are hostile
// input, so all of it happens in child processes without rights: whatever a file does to its
// decoder, this process goes on.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "image/picture.h"

namespace benzer {

struct ImageLimits {
  std::uint64_t file_bytes = std::uint64_t{128} << 20;
  std::uint64_t pixels = 64'000'000;  // by the header, before anything is allocated
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;  // of a child
  double seconds = 10;                                  // for one file, from end to end
};

struct DecodeRequest {
  bool colour = false;
  // Neither side is longer: larger pictures are made smaller, each pixel the mean of what it
  // covers.
  std::uint32_t longest = 512;
};

struct DecodedImage {
  Picture picture;          // upright, as EXIF has it; empty if there is a problem
  std::uint32_t width = 0;  // of the file, upright
  std::uint32_t height = 0;
  const char* format = "";  // "JPEG", "PNG", "WebP", "GIF", "PNM"
  std::string problem;      // why there is no picture, to be read behind "FILE: "; empty: there is
};

// Threads: any number may call decode(); each call has a child for itself, and children are kept
// for the next call. Cost: of the decoding, and about 0.1 ms.
class ImageDecoder {
 public:
  explicit ImageDecoder(const ImageLimits& limits = {});
  ~ImageDecoder();

  // Formats are told by their first bytes, whatever a file is called. Throws
  // Error(kInvalidArgument) if this build has no images, and Error(kUnavailable) if no child can be
  // started; never because of the bytes.
  DecodedImage decode(std::string_view bytes, const DecodeRequest& request) const;

  // A picture as a small JPEG file to look at: grey or colour, no side longer than 2048. Throws
  // Error(kInvalidArgument) for any other, or if this build has no images, and Error(kUnavailable)
  // if no child can do it.
  std::string encode_jpeg(const Picture& picture) const;

  const ImageLimits& limits() const noexcept { return limits_; }

 private:
  struct Children;
  ImageLimits limits_;
  std::unique_ptr<Children> children_;
};

}  // namespace benzer
