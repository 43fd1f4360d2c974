// Decodes JPEG with libjpeg-turbo. Large images are made smaller while their blocks are
// transformed, which costs a fraction of decoding them whole. For a grey result only the luma of a
// YCbCr file is decoded, which is (299 R + 587 G + 114 B) / 1000 by the definition of JPEG.
#include <cstdio>
#include <string>

// Which codes there are depends on what the library was built with: its header comes first.
// clang-format off
#include <jpeglib.h>
#include <jerror.h>
// clang-format on

#include "image/codecs/codec.h"
#include "image/codecs/exif.h"
#include "image/codecs/jump.h"

namespace benzer {
namespace {

// A progressive file may refine its pixels as often as it likes, with a few bytes for each scan
// over all of them. Real files have about ten scans.
constexpr int kMostScans = 100;

struct Decoder {
  jpeg_decompress_struct state{};
  jpeg_error_mgr errors{};
  jpeg_progress_mgr progress{};
  std::jmp_buf where{};
  char message[JMSG_LENGTH_MAX] = "";
  int code = 0;
  bool too_many_scans = false;

  Decoder() = default;
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  ~Decoder() { jpeg_destroy_decompress(&state); }
};

Decoder& decoder_of(j_common_ptr state) { return *static_cast<Decoder*>(state->client_data); }

[[noreturn]] void leave(j_common_ptr state) {
  Decoder& decoder = decoder_of(state);
  decoder.code = state->err->msg_code;
  state->err->format_message(state, decoder.message);
  std::longjmp(decoder.where, 1);
}

// Makes errors of the warnings after which libjpeg makes up missing pixels. Other warnings are
// about bytes between the parts of a file, or about rules that nothing depends on.
void judge_warning(j_common_ptr state, int level) {
  if (level >= 0) return;
  switch (state->err->msg_code) {
    case JWRN_ARITH_BAD_CODE:
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_JPEG_EOF:
    case JWRN_MUST_RESYNC:
      leave(state);
    default:
      break;
  }
}

void count_scans(j_common_ptr state) {
  Decoder& decoder = decoder_of(state);
  if (decoder.state.input_scan_number <= kMostScans) return;
  decoder.too_many_scans = true;
  std::longjmp(decoder.where, 1);
}

[[noreturn]] void fail(const Decoder& decoder) {
  if (decoder.too_many_scans)
    throw ImageProblem("it has more than " + std::to_string(kMostScans) + " scans");
  if (decoder.code == JWRN_JPEG_EOF || decoder.code == JERR_INPUT_EOF)
    throw ImageProblem(kEndsTooEarly);
  if (decoder.code == JERR_OUT_OF_MEMORY || decoder.code == JERR_NO_BACKING_STORE)
    throw std::bad_alloc();
  throw ImageProblem(std::string("libjpeg says: ") + decoder.message);
}

template <class Call>
void call(Decoder& decoder, const Call& step) {
  if (!completes(decoder.where, step)) fail(decoder);
}

int orientation_of(const jpeg_decompress_struct& state) {
  for (auto* marker = state.marker_list; marker; marker = marker->next) {
    const std::string_view block(reinterpret_cast<const char*>(marker->data), marker->data_length);
    if (block.starts_with("Exif")) return exif_orientation(block);
  }
  return 1;
}

// The smallest scale, in eighths, at which the image is at least as large as requested. Only scales
// for which processors have instructions: decoding five eighths of an image takes longer than
// decoding all of it.
unsigned eighths(ImageSize size, std::uint32_t longest) {
  const std::uint64_t longer = std::max(size.width, size.height);
  unsigned out = 1;
  while (out < 8 && longer * out < std::uint64_t{8} * longest) out *= 2;
  return out;
}

bool choose_colours(jpeg_decompress_struct& state, bool colour) {
  switch (state.jpeg_color_space) {
    case JCS_GRAYSCALE:
      state.out_color_space = JCS_GRAYSCALE;
      return true;
    case JCS_YCbCr:
      state.out_color_space = colour ? JCS_RGB : JCS_GRAYSCALE;
      return true;
    case JCS_RGB:
      state.out_color_space = JCS_RGB;
      return true;
    case JCS_CMYK:
    case JCS_YCCK:
      state.out_color_space = JCS_CMYK;
      return true;
    default:
      return false;
  }
}

// Files with the marker of Adobe are inverted: they store how much ink is missing.
void inks_to_rgb(std::vector<std::uint8_t>& row, bool inverted) {
  const unsigned flip = inverted ? 0 : 255;
  std::uint8_t* out = row.data();
  for (std::size_t i = 0; i + 4 <= row.size(); i += 4) {
    const unsigned black = row[i + 3] ^ flip;
    for (std::size_t c = 0; c < 3; ++c)
      *out++ = static_cast<std::uint8_t>(((row[i + c] ^ flip) * black + 127) / 255);
  }
}

}  // namespace

void decode_jpeg(std::string_view bytes, Canvas& canvas) {
  Decoder decoder;
  jpeg_decompress_struct& state = decoder.state;
  state.err = jpeg_std_error(&decoder.errors);
  state.client_data = &decoder;
  decoder.errors.error_exit = leave;
  decoder.errors.emit_message = judge_warning;
  decoder.progress.progress_monitor = count_scans;
  call(decoder, [&] {
    jpeg_create_decompress(&state);
    state.progress = &decoder.progress;
    state.mem->max_memory_to_use = static_cast<long>(canvas.limits().memory_bytes);
    jpeg_save_markers(&state, JPEG_APP0 + 1, 0xffff);
    jpeg_mem_src(&state, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
    jpeg_read_header(&state, TRUE);
  });
  canvas.set_size(state.image_width, state.image_height);
  canvas.set_orientation(orientation_of(state));
  if (!choose_colours(state, canvas.colour()))
    throw ImageProblem("its colours are in no known system");
  state.scale_num = eighths(canvas.size(), canvas.longest());
  state.scale_denom = 8;
  call(decoder, [&] { jpeg_start_decompress(&state); });

  canvas.begin_rows({state.output_width, state.output_height});
  std::vector<std::uint8_t> row(std::size_t{state.output_width} *
                                static_cast<std::size_t>(state.output_components));
  const bool is_ink = state.out_color_space == JCS_CMYK;
  while (state.output_scanline < state.output_height) {
    JSAMPROW out = row.data();
    call(decoder, [&] { jpeg_read_scanlines(&state, &out, 1); });
    if (is_ink) inks_to_rgb(row, state.saw_Adobe_marker);
    canvas.add_row(row.data(), is_ink ? 3 : state.output_components);
  }
}

}  // namespace benzer
