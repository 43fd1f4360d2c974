// Makes image files for tests, with the libraries that also read them.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gif_lib.h>
#include <jpeglib.h>
#include <png.h>
#include <webp/encode.h>

#include "image/picture.h"

namespace benzer {

// An image of any number of channels, with the value pixel(x, y, channel).
inline Picture painted(std::uint32_t width, std::uint32_t height, std::uint32_t channels,
                       const std::function<int(int, int, int)>& pixel) {
  Picture out{width, height, channels, {}};
  for (std::uint32_t y = 0; y < height; ++y)
    for (std::uint32_t x = 0; x < width; ++x)
      for (std::uint32_t c = 0; c < channels; ++c)
        out.pixels.push_back(static_cast<std::uint8_t>(
            pixel(static_cast<int>(x), static_cast<int>(y), static_cast<int>(c))));
  return out;
}

// A smooth image that differs along each side and in each channel.
inline Picture gradient(std::uint32_t width, std::uint32_t height, std::uint32_t channels) {
  const int w = static_cast<int>(width), h = static_cast<int>(height);
  return painted(width, height, channels, [&](int x, int y, int c) {
    if (c == 0) return 200 * x / w + 20;
    return c == 1 ? 200 * y / h + 30 : 100 * (x + y) / (w + h) + 50;
  });
}

inline std::string pnm(const Picture& picture) {
  return (picture.channels == 3 ? "P6\n" : "P5\n") + std::to_string(picture.width) + " " +
         std::to_string(picture.height) + "\n255\n" +
         std::string(picture.pixels.begin(), picture.pixels.end());
}

// "Exif", and a TIFF directory with another entry in front of the orientation.
inline std::string exif(int orientation, bool big = false) {
  const auto number = [&](unsigned value, int size) {
    std::string out;
    for (int i = 0; i < size; ++i)
      out += static_cast<char>(value >> (8 * (big ? size - 1 - i : i)) & 255);
    return out;
  };
  const auto entry = [&](unsigned tag, unsigned type, const std::string& value) {
    return number(tag, 2) + number(type, 2) + number(1, 4) + value;
  };
  return std::string("Exif\0\0", 6) + (big ? "MM" : "II") + number(42, 2) + number(8, 4) +
         number(2, 2) + entry(0x0100, 4, number(77, 4)) +
         entry(0x0112, 3, number(static_cast<unsigned>(orientation), 2) + number(0, 2)) +
         number(0, 4);
}

struct JpegSettings {
  int quality = 95;
  bool progressive = false;
  bool adobe_inks = false;  // for four channels: CMYK as Adobe stores it
  bool plain_rgb = false;   // not YCbCr
  std::string exif;
  int scans = 0;  // number of scans of a grey progressive file, at most 127; 0: default
};

inline std::string jpeg(const Picture& picture, const JpegSettings& settings = {}) {
  jpeg_compress_struct state{};
  jpeg_error_mgr errors{};
  state.err = jpeg_std_error(&errors);
  jpeg_create_compress(&state);
  unsigned char* out = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&state, &out, &size);
  state.image_width = picture.width;
  state.image_height = picture.height;
  state.input_components = static_cast<int>(picture.channels);
  state.in_color_space = picture.channels == 1   ? JCS_GRAYSCALE
                         : picture.channels == 3 ? JCS_RGB
                                                 : JCS_CMYK;
  jpeg_set_defaults(&state);
  if (settings.plain_rgb) jpeg_set_colorspace(&state, JCS_RGB);
  if (picture.channels == 4) state.write_Adobe_marker = settings.adobe_inks ? TRUE : FALSE;
  jpeg_set_quality(&state, settings.quality, TRUE);
  for (int i = 0; i < state.num_components; ++i)
    state.comp_info[i].h_samp_factor = state.comp_info[i].v_samp_factor = 1;
  if (settings.progressive) jpeg_simple_progression(&state);
  std::vector<jpeg_scan_info> scans;
  if (settings.scans > 0) {
    scans.push_back({1, {0}, 0, 0, 0, 0});
    for (int i = 0; i + 1 < settings.scans; ++i)
      scans.push_back({1, {0}, 1 + i / 2, 1 + i / 2, i % 2, 1 - i % 2});
    state.scan_info = scans.data();
    state.num_scans = settings.scans;
  }
  jpeg_start_compress(&state, TRUE);
  if (!settings.exif.empty())
    jpeg_write_marker(&state, JPEG_APP0 + 1, reinterpret_cast<const JOCTET*>(settings.exif.data()),
                      static_cast<unsigned>(settings.exif.size()));
  while (state.next_scanline < state.image_height) {
    JSAMPROW row = const_cast<JSAMPROW>(
        &picture.pixels[std::size_t{state.next_scanline} * picture.width * picture.channels]);
    jpeg_write_scanlines(&state, &row, 1);
  }
  jpeg_finish_compress(&state);
  jpeg_destroy_compress(&state);
  std::string bytes(reinterpret_cast<char*>(out), size);
  std::free(out);
  return bytes;
}

struct PngSettings {
  int bits = 8;  // 16: the pixels hold two bytes a channel, the higher first
  bool interlaced = false;
  std::vector<png_color> palette;      // if set, the one channel holds indices
  std::vector<png_byte> transparency;  // of the palette
  int transparent_grey = -1;
  std::string exif;
  bool exif_behind = false;
};

inline std::string png(const Picture& picture, const PngSettings& settings = {}) {
  std::string out;
  png_structp file = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(file);
  png_set_write_fn(
      file, &out,
      [](png_structp to, png_bytep bytes, std::size_t size) {
        static_cast<std::string*>(png_get_io_ptr(to))->append(reinterpret_cast<char*>(bytes), size);
      },
      nullptr);
  constexpr int kTypes[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                            PNG_COLOR_TYPE_RGB_ALPHA};
  const int type = settings.palette.empty() ? kTypes[picture.channels - 1] : PNG_COLOR_TYPE_PALETTE;
  png_set_IHDR(file, info, picture.width, picture.height, settings.bits, type,
               settings.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (!settings.palette.empty())
    png_set_PLTE(file, info, settings.palette.data(), static_cast<int>(settings.palette.size()));
  if (!settings.transparency.empty())
    png_set_tRNS(file, info, settings.transparency.data(),
                 static_cast<int>(settings.transparency.size()), nullptr);
  if (settings.transparent_grey >= 0) {
    png_color_16 colour{};
    colour.gray = static_cast<png_uint_16>(settings.transparent_grey);
    png_set_tRNS(file, info, nullptr, 0, &colour);
  }
  const std::string block = settings.exif.empty() ? "" : settings.exif.substr(6);
  const auto* block_bytes = reinterpret_cast<png_const_bytep>(block.data());
  const auto* name = reinterpret_cast<png_const_bytep>("eXIf");
  png_write_info(file, info);
  if (!block.empty() && !settings.exif_behind)
    png_write_chunk(file, name, block_bytes, block.size());
  const std::size_t row_bytes = picture.pixels.size() / picture.height;
  std::vector<png_bytep> rows;
  for (std::uint32_t y = 0; y < picture.height; ++y)
    rows.push_back(const_cast<png_bytep>(&picture.pixels[y * row_bytes]));
  if (settings.bits < 8) png_set_packing(file);
  png_write_image(file, rows.data());
  if (!block.empty() && settings.exif_behind)
    png_write_chunk(file, name, block_bytes, block.size());
  png_write_end(file, nullptr);
  png_destroy_write_struct(&file, &info);
  return out;
}

// Three or four channels.
inline std::string webp(const Picture& picture, bool lossless) {
  const int w = static_cast<int>(picture.width), h = static_cast<int>(picture.height);
  const std::uint8_t* pixels = picture.pixels.data();
  std::uint8_t* out = nullptr;
  std::size_t size = 0;
  if (picture.channels == 3)
    size = lossless ? WebPEncodeLosslessRGB(pixels, w, h, 3 * w, &out)
                    : WebPEncodeRGB(pixels, w, h, 3 * w, 95, &out);
  else
    size = lossless ? WebPEncodeLosslessRGBA(pixels, w, h, 4 * w, &out)
                    : WebPEncodeRGBA(pixels, w, h, 4 * w, 95, &out);
  std::string bytes(reinterpret_cast<char*>(out), size);
  WebPFree(out);
  return bytes;
}

inline std::string little(std::uint64_t value, int size) {
  std::string out;
  for (int i = 0; i < size; ++i) out += static_cast<char>(value >> (8 * i) & 255);
  return out;
}

inline std::string riff_chunk(std::string_view name, std::string_view bytes) {
  return std::string(name) + little(bytes.size(), 4) + std::string(bytes) +
         std::string(bytes.size() % 2, '\0');
}

// A WebP file in the extended format. Flags are 2 for an animation, 8 for EXIF.
inline std::string extended_webp(int flags, std::uint32_t width, std::uint32_t height,
                                 const std::string& chunks) {
  const std::string header = riff_chunk("VP8X", little(static_cast<unsigned>(flags), 4) +
                                                    little(width - 1, 3) + little(height - 1, 3));
  return "RIFF" + little(4 + header.size() + chunks.size(), 4) + "WEBP" + header + chunks;
}

inline std::string webp_with_exif(const Picture& picture, const std::string& block) {
  return extended_webp(8, picture.width, picture.height,
                       webp(picture, true).substr(12) + riff_chunk("EXIF", block));
}

// A frame at (x, y), both even.
struct WebpFrame {
  Picture picture;
  std::uint32_t x = 0, y = 0;
};
inline std::string animated_webp(std::uint32_t width, std::uint32_t height,
                                 const std::vector<WebpFrame>& frames) {
  std::string chunks = riff_chunk("ANIM", little(0xff0000ff, 4) + little(0, 2));
  for (const WebpFrame& frame : frames)
    chunks += riff_chunk("ANMF", little(frame.x / 2, 3) + little(frame.y / 2, 3) +
                                     little(frame.picture.width - 1, 3) +
                                     little(frame.picture.height - 1, 3) + little(100, 3) +
                                     little(0, 1) + webp(frame.picture, true).substr(12));
  return extended_webp(2, width, height, chunks);
}

struct GifFrame {
  Picture indices;  // one channel
  int x = 0, y = 0;
  int transparent = -1;
  bool interlaced = false;
  std::vector<GifColorType> palette = {};  // a local palette; its size is a power of two
  int delay = 10;                          // how long it is shown, in hundredths of a second
};

inline std::string gif(int width, int height, const std::vector<GifColorType>& palette,
                       const std::vector<GifFrame>& frames) {
  std::string out;
  int error = 0;
  GifFileType* file = EGifOpen(
      &out,
      [](GifFileType* to, const GifByteType* bytes, int size) {
        static_cast<std::string*>(to->UserData)
            ->append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
        return size;
      },
      &error);
  EGifSetGifVersion(file, true);
  const auto map_of = [](const std::vector<GifColorType>& colours) {
    return colours.empty() ? nullptr
                           : GifMakeMapObject(static_cast<int>(colours.size()), colours.data());
  };
  ColorMapObject* map = map_of(palette);
  EGifPutScreenDesc(file, width, height, 8, 0, map);
  GifFreeMapObject(map);
  for (const GifFrame& frame : frames) {
    GifByteType block[4];
    const GraphicsControlBlock graphics{DISPOSAL_UNSPECIFIED, false, frame.delay,
                                        frame.transparent};
    EGifGCBToExtension(&graphics, block);
    EGifPutExtension(file, GRAPHICS_EXT_FUNC_CODE, 4, block);
    const int w = static_cast<int>(frame.indices.width), h = static_cast<int>(frame.indices.height);
    GifFreeMapObject(file->Image.ColorMap);  // of the previous frame: giflib does not free it
    file->Image.ColorMap = nullptr;
    ColorMapObject* own = map_of(frame.palette);
    EGifPutImageDesc(file, frame.x, frame.y, w, h, frame.interlaced, own);
    GifFreeMapObject(own);
    const auto put = [&](int y) {
      EGifPutLine(file,
                  const_cast<GifPixelType*>(&frame.indices.pixels[static_cast<std::size_t>(y * w)]),
                  w);
    };
    if (frame.interlaced) {
      for (const auto& [first, step] : {std::pair{0, 8}, {4, 8}, {2, 4}, {1, 2}})
        for (int y = first; y < h; y += step) put(y);
    } else {
      for (int y = 0; y < h; ++y) put(y);
    }
  }
  EGifCloseFile(file, &error);
  return out;
}

}  // namespace benzer
