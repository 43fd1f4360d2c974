// Decodes PNG with libpng, row by row unless the image is interlaced.
#include <algorithm>
#include <cstring>
#include <string>

#include <png.h>

#include "image/codecs/codec.h"
#include "image/codecs/exif.h"
#include "image/codecs/jump.h"

namespace benzer {
namespace {

constexpr png_alloc_size_t kMostChunkBytes = 8 << 20;  // of a chunk that is kept: a palette, EXIF
constexpr png_uint_32 kMostChunks = 100;               // that are kept

struct Decoder {
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::string_view left;
  std::jmp_buf where{};
  char message[200] = "";
  bool ends_too_early = false;
  bool out_of_memory = false;

  Decoder() = default;
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  ~Decoder() { png_destroy_read_struct(&png, &info, nullptr); }
};

[[noreturn]] void leave(png_structp png, png_const_charp message) {
  auto& decoder = *static_cast<Decoder*>(png_get_error_ptr(png));
  std::strncpy(decoder.message, message, sizeof decoder.message - 1);
  std::longjmp(decoder.where, 1);
}

void ignore_warning(png_structp, png_const_charp) {}

void read(png_structp png, png_bytep out, std::size_t size) {
  auto& decoder = *static_cast<Decoder*>(png_get_io_ptr(png));
  if (size > decoder.left.size()) {
    decoder.ends_too_early = true;
    png_error(png, kEndsTooEarly);
  }
  std::memcpy(out, decoder.left.data(), size);
  decoder.left.remove_prefix(size);
}

png_voidp allocate(png_structp png, png_alloc_size_t size) {
  void* out = std::malloc(size);
  if (!out) static_cast<Decoder*>(png_get_mem_ptr(png))->out_of_memory = true;
  return out;
}

void release(png_structp, png_voidp block) { std::free(block); }

template <class Call>
void call(Decoder& decoder, const Call& step) {
  if (completes(decoder.where, step)) return;
  if (decoder.ends_too_early) throw ImageProblem(kEndsTooEarly);
  if (decoder.out_of_memory) throw std::bad_alloc();
  throw ImageProblem(std::string("libpng says: ") + decoder.message);
}

// Skips texts, profiles and times: they may be compressed, and no code reads them.
void keep_few_chunks(png_structp png) {
  png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);  // the canvas checks the size
  png_set_chunk_malloc_max(png, kMostChunkBytes);
  png_set_chunk_cache_max(png, kMostChunks);
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_AS_DEFAULT,
                              reinterpret_cast<png_const_bytep>("eXIf"), 1);
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_ALWAYS,
                              reinterpret_cast<png_const_bytep>("acTL"), 1);
}

// An animation says how many frames it has in a chunk that libpng does not know
// (https://www.w3.org/TR/png-3/#acTL-chunk).
void note_animation(Decoder& decoder, Canvas& canvas) {
  png_unknown_chunkp chunks = nullptr;
  const int count = png_get_unknown_chunks(decoder.png, decoder.info, &chunks);
  // Of several such chunks, programs that show the picture follow one or another.
  const bool is_animation = std::any_of(chunks, chunks + count, [](const png_unknown_chunk& chunk) {
    return std::memcmp(chunk.name, "acTL", 4) == 0 && chunk.size >= 8 &&
           png_get_uint_32(chunk.data) > 1;
  });
  canvas.set_animation(is_animation);
}

void note_orientation(Decoder& decoder, Canvas& canvas) {
  png_bytep block = nullptr;
  png_uint_32 size = 0;
  if (png_get_eXIf_1(decoder.png, decoder.info, &size, &block) != 0)
    canvas.set_orientation(exif_orientation({reinterpret_cast<const char*>(block), size}));
}

}  // namespace

void decode_png(std::string_view bytes, Canvas& canvas) {
  Decoder decoder;
  decoder.left = bytes;
  decoder.png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &decoder, leave, ignore_warning,
                                         &decoder, allocate, release);
  if (!decoder.png) throw std::bad_alloc();
  png_structp png = decoder.png;
  call(decoder, [&] {
    decoder.info = png_create_info_struct(png);
    png_set_read_fn(png, &decoder, read);
    keep_few_chunks(png);
    png_read_info(png, decoder.info);
  });
  canvas.set_size(png_get_image_width(png, decoder.info), png_get_image_height(png, decoder.info));
  note_animation(decoder, canvas);
  int passes = 1;
  call(decoder, [&] {
    png_set_expand(png);  // palettes, fewer than 8 bits, a transparent colour
    png_set_scale_16(png);
    passes = png_set_interlace_handling(png);
    png_read_update_info(png, decoder.info);
  });
  const std::size_t row_bytes = png_get_rowbytes(png, decoder.info);
  const int channels = png_get_channels(png, decoder.info);
  const std::uint32_t height = canvas.size().height;
  canvas.begin_rows(canvas.size());
  if (passes == 1) {
    std::vector<png_byte> row(row_bytes);
    for (std::uint32_t y = 0; y < height; ++y) {
      call(decoder, [&] { png_read_row(png, row.data(), nullptr); });
      canvas.add_row(row.data(), channels);
    }
  } else {
    std::vector<png_byte> pixels(row_bytes * height);
    std::vector<png_bytep> rows(height);
    for (std::uint32_t y = 0; y < height; ++y) rows[y] = pixels.data() + y * row_bytes;
    call(decoder, [&] { png_read_image(png, rows.data()); });
    for (std::uint32_t y = 0; y < height; ++y) canvas.add_row(rows[y], channels);
  }
  // EXIF may follow the pixels. Errors are ignored here, since the pixels are complete.
  static_cast<void>(completes(decoder.where, [&] { png_read_end(png, decoder.info); }));
  note_orientation(decoder, canvas);
}

}  // namespace benzer
