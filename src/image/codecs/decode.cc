#include "image/codecs/decode.h"

#include <exception>
#include <new>

#include "image/codecs/codec.h"
#include "image/format.h"

namespace benzer {
namespace {

struct Codec {
  ImageFormat format;
  bool (*is)(std::string_view bytes);
  void (*decode)(std::string_view bytes, Canvas& canvas);
};

constexpr Codec kCodecs[] = {
    {ImageFormat::kJpeg, [](std::string_view b) { return b.starts_with("\xff\xd8\xff"); },
     decode_jpeg},
    {ImageFormat::kPng, [](std::string_view b) { return b.starts_with("\x89PNG\r\n\x1a\n"); },
     decode_png},
    {ImageFormat::kWebp,
     [](std::string_view b) { return b.starts_with("RIFF") && b.substr(0, 12).ends_with("WEBP"); },
     decode_webp},
    {ImageFormat::kGif,
     [](std::string_view b) { return b.starts_with("GIF87a") || b.starts_with("GIF89a"); },
     decode_gif},
    {ImageFormat::kPnm,
     [](std::string_view b) { return b.starts_with("P5") || b.starts_with("P6"); }, decode_pnm},
};

void decode_by(const Codec& codec, std::string_view bytes, Canvas& canvas, DecodedImage& out) {
  out.format = format_name(codec.format);
  try {
    codec.decode(bytes, canvas);
    out.picture = canvas.finish();
  } catch (const std::bad_alloc&) {
    out.problem = "decoding it takes more memory than is allowed";
  } catch (const std::exception& problem) {
    out.problem = problem.what();
  }
  out.width = canvas.size().width;
  out.height = canvas.size().height;
  out.is_animation = canvas.is_animation();
}

}  // namespace

DecodedImage decode_image(std::string_view bytes, const DecodeRequest& request,
                          const ImageLimits& limits) noexcept {
  DecodedImage out;
  if (bytes.empty()) {
    out.problem = "it is empty";
    return out;
  }
  for (const Codec& codec : kCodecs) {
    if (!codec.is(bytes)) continue;
    Canvas canvas(request, limits);
    decode_by(codec, bytes, canvas, out);
    return out;
  }
  out.problem = "it is not a JPEG, PNG, WebP, GIF or PNM image";
  return out;
}

}  // namespace benzer
