// Decodes the bytes of image files to pixels, and encodes pixels as small files. Image files are
// hostile input, so all of it happens in child processes without privileges: this process survives
// whatever a file does to its decoder.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/image_file.h"
#include "image/picture.h"

namespace benzer {

struct ImageLimits {
  std::uint64_t file_bytes = kMostImageFileBytes;
  std::uint64_t pixels = 64'000'000;  // checked in the header, before anything is allocated
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;  // of a child
  // Of a core, for one file, so that a busy machine does not refuse what a quiet one decodes.
  double cpu_seconds = 10;
  // Of the clock, with the transfer both ways, in case a child stands still.
  double seconds = 30;
};

struct DecodeRequest {
  bool colour = false;
  // Neither side of the result is longer. Larger images are made smaller; each pixel is the mean of
  // the area that it covers.
  std::uint32_t longest = 512;
};

struct DecodedImage {
  // Turned upright by its EXIF, the first frame of an animation; empty if there is a problem.
  Picture picture;
  std::uint32_t width = 0;  // of the file, upright
  std::uint32_t height = 0;
  bool is_animation = false;  // by what the file says; frames behind the first are not decoded
  const char* format = "";    // "JPEG", "PNG", "WebP", "GIF", "PNM"
  std::string problem;        // why decoding failed, to be shown after "FILE: "; or empty
};

// Threads: any number may call decode(). Each call has a child of its own, and children are kept
// for later calls. Cost: that of the decoding, and about 0.1 ms.
class ImageDecoder {
 public:
  explicit ImageDecoder(const ImageLimits& limits = {});
  ~ImageDecoder();

  // Recognises the format by the first bytes of the file, whatever its name is. Throws
  // Error(kInvalidArgument) if this build has no images or `longest` is 0, and Error(kUnavailable)
  // if no child can be started; never because of the bytes.
  DecodedImage decode(std::string_view bytes, const DecodeRequest& request) const;

  // Encodes an image as a small JPEG file to look at: grey or colour, no side longer than 2048.
  // Throws Error(kInvalidArgument) for any other image, or if this build has no images, and
  // Error(kUnavailable) if no child can do it.
  std::string encode_jpeg(const Picture& picture) const;

  const ImageLimits& limits() const noexcept { return limits_; }

 private:
  struct Children;
  ImageLimits limits_;
  std::unique_ptr<Children> children_;
};

}  // namespace benzer
