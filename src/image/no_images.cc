// Replaces the decoder in a build without image libraries: every call throws.
#include "benzer/error.h"

#include "image/decoder.h"
#include "image/file_hash.h"

namespace benzer {

struct ImageDecoder::Children {};

ImageDecoder::ImageDecoder(const ImageLimits& limits) : limits_(limits) {}
ImageDecoder::~ImageDecoder() = default;

namespace {

[[noreturn]] void refuse() {
  throw Error(
      ErrorCode::kInvalidArgument, "this build has no images",
      "build Benzer where libjpeg-turbo, libpng, libwebp, giflib, libseccomp and OpenSSL are "
      "installed (libjpeg62-turbo-dev, libpng-dev, libwebp-dev, libgif-dev, libseccomp-dev and "
      "libssl-dev on Debian)",
      ": ");
}

}  // namespace

DecodedImage ImageDecoder::decode(std::string_view, const DecodeRequest&) const { refuse(); }
std::string ImageDecoder::encode_jpeg(const Picture&) const { refuse(); }

FileHash hash_of_file(std::string_view) { refuse(); }

}  // namespace benzer
