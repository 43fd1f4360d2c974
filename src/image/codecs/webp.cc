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

// Decodes a frame on white, into three channels.
std::vector<std::uint8_t> decode_frame(const WebPData& data, ImageSize from, ImageSize to) {
  WebPDecoderConfig config;
  if (WebPInitDecoderConfig(&config) == 0) fail(VP8_STATUS_UNSUPPORTED_FEATURE);
  const VP8StatusCode read = WebPGetFeatures(data.bytes, data.size, &config.input);
  if (read != VP8_STATUS_OK) fail(read);
  const bool has_alpha = config.input.has_alpha != 0;
  const std::size_t channels = has_alpha ? 4 : 3;
  std::vector<std::uint8_t> pixels(std::size_t{to.width} * to.height * channels);
  if (from != to) {
    config.options.use_scaling = 1;
    config.options.scaled_width = static_cast<int>(to.width);
    config.options.scaled_height = static_cast<int>(to.height);
  }
  // Colours are multiplied by alpha before they are averaged, so transparent pixels do not count.
  config.output.colorspace = has_alpha ? MODE_rgbA : MODE_RGB;
  config.output.is_external_memory = 1;
  config.output.u.RGBA = {pixels.data(), static_cast<int>(to.width * channels), pixels.size()};
  const VP8StatusCode status = WebPDecode(data.bytes, data.size, &config);
  WebPFreeDecBuffer(&config.output);
  if (status != VP8_STATUS_OK) fail(status);
  if (!has_alpha) return pixels;
  std::uint8_t* out = pixels.data();
  for (std::size_t i = 0; i < pixels.size(); i += 4) {
    const unsigned white = 255u - pixels[i + 3];
    for (std::size_t c = 0; c < 3; ++c)
      *out++ = static_cast<std::uint8_t>(std::min(255u, pixels[i + c] + white));
  }
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
  canvas.set_frames(WebPDemuxGetI(file.get(), WEBP_FF_FRAME_COUNT));

  const ImageSize size = canvas.size();
  const ImageSize part{static_cast<std::uint32_t>(frame.width),
                       static_cast<std::uint32_t>(frame.height)};
  if (part == size) {
    const ImageSize target = canvas.target();
    const std::vector<std::uint8_t> pixels = decode_frame(frame.fragment, size, target);
    canvas.begin_rows(target);
    for (std::size_t y = 0; y < target.height; ++y)
      canvas.add_row(&pixels[y * target.width * 3], 3);
    return;
  }
  const std::size_t left = static_cast<std::uint32_t>(frame.x_offset);
  const std::size_t top = static_cast<std::uint32_t>(frame.y_offset);
  if (left + part.width > size.width || top + part.height > size.height)
    throw ImageProblem("its first frame is larger than the picture");
  const std::vector<std::uint8_t> pixels = decode_frame(frame.fragment, part, part);
  std::vector<std::uint8_t> row;
  canvas.begin_rows(size);
  for (std::size_t y = 0; y < size.height; ++y) {
    row.assign(std::size_t{size.width} * 3, 255);
    if (y >= top && y < top + part.height)
      std::copy_n(&pixels[(y - top) * part.width * 3], part.width * 3, &row[left * 3]);
    canvas.add_row(row.data(), 3);
  }
}

}  // namespace benzer
