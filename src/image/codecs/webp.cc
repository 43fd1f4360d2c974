// Decodes WebP with libwebp, which makes large images smaller itself. The first frame of an
// animation is used.
#include <memory>

#include <webp/decode.h>
#include <webp/demux.h>

#include "image/codecs/codec.h"
#include "image/codecs/exif.h"

namespace benzer {
namespace {

struct Release {
  void operator()(WebPDemuxer* file) const { WebPDemuxDelete(file); }
};

struct Frame : WebPIterator {
  Frame() : WebPIterator{} {}
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;
  ~Frame() { WebPDemuxReleaseIterator(this); }
};

[[noreturn]] void fail(VP8StatusCode status) {
  switch (status) {
    case VP8_STATUS_OUT_OF_MEMORY:
      throw std::bad_alloc();
    case VP8_STATUS_NOT_ENOUGH_DATA:
    case VP8_STATUS_SUSPENDED:
      throw ImageProblem(kEndsTooEarly);
    case VP8_STATUS_UNSUPPORTED_FEATURE:
      throw ImageProblem("libwebp says: an unsupported feature");
    default:
      throw ImageProblem("libwebp says: damaged data");
  }
}

void note_orientation(WebPDemuxer& file, Canvas& canvas) {
  WebPChunkIterator chunk{};
  if (WebPDemuxGetChunk(&file, "EXIF", 1, &chunk) != 0)
    canvas.set_orientation(
        exif_orientation({reinterpret_cast<const char*>(chunk.chunk.bytes), chunk.chunk.size}));
  WebPDemuxReleaseChunkIterator(&chunk);
}

struct Pixels {
  std::vector<std::uint8_t> bytes;
  int channels = 3;  // or 4, and then colours are multiplied by alpha
};

Pixels decode_frame(const WebPData& data, ImageSize from, ImageSize to) {
  WebPDecoderConfig config;
  if (WebPInitDecoderConfig(&config) == 0) fail(VP8_STATUS_UNSUPPORTED_FEATURE);
  const VP8StatusCode read = WebPGetFeatures(data.bytes, data.size, &config.input);
  if (read != VP8_STATUS_OK) fail(read);
  const bool has_alpha = config.input.has_alpha != 0;
  const std::size_t channels = has_alpha ? 4 : 3;
  Pixels pixels{std::vector<std::uint8_t>(std::size_t{to.width} * to.height * channels),
                static_cast<int>(channels)};
  if (from != to) {
    config.options.use_scaling = 1;
    config.options.scaled_width = static_cast<int>(to.width);
    config.options.scaled_height = static_cast<int>(to.height);
  }
  // Colours are multiplied by alpha before they are averaged, so transparent pixels do not count.
  config.output.colorspace = has_alpha ? MODE_rgbA : MODE_RGB;
  config.output.is_external_memory = 1;
  config.output.u.RGBA = {pixels.bytes.data(), static_cast<int>(to.width * channels),
                          pixels.bytes.size()};
  const VP8StatusCode status = WebPDecode(data.bytes, data.size, &config);
  WebPFreeDecBuffer(&config.output);
  if (status != VP8_STATUS_OK) fail(status);
  return pixels;
}

}  // namespace

void decode_webp(std::string_view bytes, Canvas& canvas) {
  const WebPData data{reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
  WebPBitstreamFeatures features;
  const VP8StatusCode read = WebPGetFeatures(data.bytes, data.size, &features);
  if (read != VP8_STATUS_OK) fail(read);
  canvas.set_size(static_cast<unsigned>(features.width), static_cast<unsigned>(features.height));

  WebPDemuxState state = WEBP_DEMUX_PARSE_ERROR;
  const std::unique_ptr<WebPDemuxer, Release> file(WebPDemuxPartial(&data, &state));
  if (state == WEBP_DEMUX_PARSING_HEADER || state == WEBP_DEMUX_PARSED_HEADER)
    throw ImageProblem(kEndsTooEarly);
  Frame frame;
  if (!file || WebPDemuxGetFrame(file.get(), 1, &frame) == 0) fail(VP8_STATUS_BITSTREAM_ERROR);
  note_orientation(*file, canvas);
  canvas.set_animation(WebPDemuxGetI(file.get(), WEBP_FF_FRAME_COUNT) > 1);

  const ImageSize size = canvas.size();
  const ImageSize part{static_cast<std::uint32_t>(frame.width),
                       static_cast<std::uint32_t>(frame.height)};
  if (part == size) {
    const ImageSize target = canvas.target();
    const auto [pixels, channels] = decode_frame(frame.fragment, size, target);
    canvas.begin_rows(target);
    for (std::size_t y = 0; y < target.height; ++y)
      canvas.add_row(&pixels[y * target.width * static_cast<std::size_t>(channels)], channels,
                     true);
    return;
  }
  const std::size_t left = static_cast<std::uint32_t>(frame.x_offset);
  const std::size_t top = static_cast<std::uint32_t>(frame.y_offset);
  if (left + part.width > size.width || top + part.height > size.height)
    throw ImageProblem("its first frame is larger than the picture");
  const auto [pixels, channels] = decode_frame(frame.fragment, part, part);
  const auto step = static_cast<std::size_t>(channels);
  std::vector<std::uint8_t> row;
  canvas.begin_rows(size);
  for (std::size_t y = 0; y < size.height; ++y) {
    row.assign(std::size_t{size.width} * 4, 0);  // what is around the frame is transparent
    if (y >= top && y < top + part.height)
      for (std::size_t x = 0; x < part.width; ++x) {
        const std::uint8_t* from = &pixels[((y - top) * part.width + x) * step];
        std::uint8_t* to = &row[(left + x) * 4];
        std::copy_n(from, step, to);
        if (step == 3) to[3] = 255;
      }
    canvas.add_row(row.data(), 4, true);
  }
}

}  // namespace benzer
