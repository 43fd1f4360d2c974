#include "image/codecs/encode.h"

#include <cstdio>
#include <cstdlib>
#include <new>

// clang-format off
#include <jpeglib.h>
#include <jerror.h>
// clang-format on

#include "image/codecs/codec.h"
#include "image/codecs/jump.h"

namespace benzer {
namespace {

// The files are small images of a page: at a higher quality the additional bytes are hard to see.
constexpr int kQuality = 82;

struct Encoder {
  jpeg_compress_struct state{};
  jpeg_error_mgr errors{};
  std::jmp_buf where{};
  char message[JMSG_LENGTH_MAX] = "";
  int code = 0;
  unsigned char* bytes = nullptr;
  unsigned long size = 0;

  Encoder() = default;
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;
  ~Encoder() {
    jpeg_destroy_compress(&state);
    std::free(bytes);
  }
};

[[noreturn]] void leave(j_common_ptr state) {
  Encoder& encoder = *static_cast<Encoder*>(state->client_data);
  encoder.code = state->err->msg_code;
  state->err->format_message(state, encoder.message);
  std::longjmp(encoder.where, 1);
}

void compress(Encoder& encoder, const Picture& picture) {
  jpeg_compress_struct& state = encoder.state;
  jpeg_create_compress(&state);
  jpeg_mem_dest(&state, &encoder.bytes, &encoder.size);
  state.image_width = picture.width;
  state.image_height = picture.height;
  state.input_components = static_cast<int>(picture.channels);
  state.in_color_space = picture.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&state);  // subsamples colours 4:2:0
  jpeg_set_quality(&state, kQuality, TRUE);
  state.optimize_coding = TRUE;  // a tenth fewer bytes
  jpeg_start_compress(&state, TRUE);
  const std::size_t row_bytes = std::size_t{picture.width} * picture.channels;
  while (state.next_scanline < state.image_height) {
    JSAMPROW row = const_cast<JSAMPROW>(&picture.pixels[state.next_scanline * row_bytes]);
    jpeg_write_scanlines(&state, &row, 1);
  }
  jpeg_finish_compress(&state);
}

}  // namespace

std::string encode_as_jpeg(const Picture& picture) {
  Encoder encoder;
  encoder.state.err = jpeg_std_error(&encoder.errors);
  encoder.state.client_data = &encoder;
  encoder.errors.error_exit = leave;
  if (!completes(encoder.where, [&] { compress(encoder, picture); })) {
    if (encoder.code == JERR_OUT_OF_MEMORY) throw std::bad_alloc();
    throw ImageProblem(std::string("libjpeg says: ") + encoder.message);
  }
  return {reinterpret_cast<const char*>(encoder.bytes), encoder.size};
}

}  // namespace benzer
