// Replaces the decoder in a build without image libraries: every call throws.
#include "benzer/error.h"

#include "image/decoder.h"

namespace benzer {

struct ImageDecoder::Children {};

ImageDecoder::ImageDecoder(const ImageLimits& limits) : limits_(limits) {}
ImageDecoder::~ImageDecoder() = default;

namespace {

[[noreturn]] void refuse() {
  throw Error(
      ErrorCode::kInvalidArgument, "this build has no images",
      "build Benzer where libjpeg-turbo, libpng, libwebp, giflib and libseccomp are installed "
      "(libjpeg62-turbo-dev, libpng-dev, libwebp-dev, libgif-dev and libseccomp-dev on Debian)",
      ": ");
}

}  // namespace

DecodedImage ImageDecoder::decode(std::string_view, const DecodeRequest&) const { refuse(); }
std::string ImageDecoder::encode_jpeg(const Picture&) const { refuse(); }

}  // namespace benzer
