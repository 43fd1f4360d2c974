// Decodes any bytes as an image file. The first byte chooses colour or grey, and the longest side.
//
// Checked: no crash; either a problem or an image, never both; the size of the image follows from
// that of the file, and it has as many pixels; the same bytes give the same image; another request
// for the same file finds the same size.
#include <cstdint>
#include <string_view>

#include "base/fuzz_require.h"
#include "image/codecs/decode.h"
#include "image/size.h"

namespace {

using namespace benzer;

DecodedImage decode(std::string_view bytes, const DecodeRequest& request) {
  ImageLimits limits;
  limits.pixels = 1 << 18;
  limits.memory_bytes = 64 << 20;
  DecodedImage out = decode_image(bytes, request, limits);
  const Picture& picture = out.picture;
  require(out.problem.empty() == !picture.empty());
  if (out.problem.empty()) {
    require(std::uint64_t{out.width} * out.height <= limits.pixels);
    require(ImageSize{picture.width, picture.height} ==
            fitted({out.width, out.height}, request.longest));
    require(picture.channels == (request.colour ? 3 : 1));
    require(picture.pixels.size() ==
            std::size_t{picture.width} * picture.height * picture.channels);
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const DecodeRequest request{(data[0] & 1) != 0, 1u + (data[0] >> 1)};
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  const DecodedImage first = decode(bytes, request);
  const DecodedImage again = decode(bytes, request);
  require(first.picture == again.picture && first.problem == again.problem);
  const DecodedImage other = decode(bytes, {!request.colour, 512});
  if (first.problem.empty() && other.problem.empty())
    require(first.width == other.width && first.height == other.height);
  return 0;
}
