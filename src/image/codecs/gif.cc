// Decodes GIF with giflib: the first frame, at its place on a transparent canvas.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

#include <gif_lib.h>

#include "image/codecs/codec.h"

namespace benzer {
namespace {

struct Close {
  void operator()(GifFileType* file) const { DGifCloseFile(file, nullptr); }
};

[[noreturn]] void fail(int code, std::string_view left) {
  if (code == D_GIF_ERR_NOT_ENOUGH_MEM) throw std::bad_alloc();
  if (left.empty()) throw ImageProblem(kEndsTooEarly);  // giflib has several errors for it
  const char* what = GifErrorString(code);
  throw ImageProblem(std::string("giflib says: ") + (what ? what : "damaged data"));
}

[[noreturn]] void fail(const GifFileType& file) {
  fail(file.Error, *static_cast<std::string_view*>(file.UserData));
}

int read(GifFileType* file, GifByteType* out, int size) {
  auto& left = *static_cast<std::string_view*>(file->UserData);
  const std::size_t n = std::min(left.size(), static_cast<std::size_t>(size));
  std::memcpy(out, left.data(), n);
  left.remove_prefix(n);
  return static_cast<int>(n);
}

// What the records around the first frame say.
struct Records {
  int transparent = NO_TRANSPARENT_COLOR;  // the index that is transparent in the next frame
  // An application block that makes frames repeat, or a time for which the first frame is shown.
  bool is_announced = false;
};

bool is_of_animations(std::string_view application) {
  return application.starts_with("NETSCAPE2.0") || application.starts_with("ANIMEXTS1.0");
}

// Reads an extension, whose introducer was read. Returns false if it is damaged.
bool read_extension(GifFileType& file, Records& records) {
  int code = 0;
  GifByteType* block = nullptr;  // its size in bytes, then the bytes
  if (DGifGetExtension(&file, &code, &block) == GIF_ERROR) return false;
  for (bool is_first = true; block; is_first = false) {
    GraphicsControlBlock graphics{};
    if (code == GRAPHICS_EXT_FUNC_CODE &&
        DGifExtensionToGCB(block[0], block + 1, &graphics) == GIF_OK) {
      records.transparent = graphics.TransparentColor;
      records.is_announced |= graphics.DelayTime > 0;
    }
    if (code == APPLICATION_EXT_FUNC_CODE && is_first)
      records.is_announced |=
          is_of_animations({reinterpret_cast<const char*>(block + 1), std::size_t{block[0]}});
    if (DGifGetExtensionNext(&file, &block) == GIF_ERROR) return false;
  }
  return true;
}

// Reads the records before the first frame.
Records records_before_frame(GifFileType& file) {
  Records out;
  for (;;) {
    GifRecordType type = UNDEFINED_RECORD_TYPE;
    if (DGifGetRecordType(&file, &type) == GIF_ERROR) fail(file);
    if (type == IMAGE_DESC_RECORD_TYPE) return out;
    if (type == TERMINATE_RECORD_TYPE) throw ImageProblem("it has no frame");
    if (!read_extension(file, out)) fail(file);
  }
}

// Whether another frame may follow the first one. It is not decoded. Only the trailer says that
// there is none, or the end of a file in which nothing announces another. Viewers skip damage, and
// show the frames after it.
bool may_have_more_frames(GifFileType& file, Records records) {
  const auto& left = *static_cast<std::string_view*>(file.UserData);
  for (;;) {
    const bool is_at_end = left.empty();
    GifRecordType type = UNDEFINED_RECORD_TYPE;
    if (DGifGetRecordType(&file, &type) == GIF_ERROR) return records.is_announced || !is_at_end;
    if (type == TERMINATE_RECORD_TYPE) return false;
    if (type == IMAGE_DESC_RECORD_TYPE) return true;
    if (!read_extension(file, records)) return true;
  }
}

class Frame {
 public:
  Frame(GifFileType& file, int transparent, Canvas& canvas)
      : file_(file), canvas_(canvas), line_(width()) {
    const ColorMapObject* map = file.Image.ColorMap ? file.Image.ColorMap : file.SColorMap;
    if (!map) throw ImageProblem("it has no palette");
    std::memset(palette_, 0, sizeof palette_);  // an index without a colour is transparent
    for (int i = 0; i < std::min(map->ColorCount, 256); ++i) {
      if (i == transparent) continue;
      palette_[i][0] = map->Colors[i].Red;
      palette_[i][1] = map->Colors[i].Green;
      palette_[i][2] = map->Colors[i].Blue;
      palette_[i][3] = 255;
    }
    row_.resize(std::size_t{canvas.size().width} * 4);
  }

  void decode() {
    std::vector<GifByteType> lines;
    if (file_.Image.Interlace) lines = read_interlaced();
    const std::size_t top = static_cast<std::size_t>(file_.Image.Top);
    canvas_.begin_rows(canvas_.size());
    for (std::size_t y = 0; y < canvas_.size().height; ++y) {
      std::fill(row_.begin(), row_.end(), std::uint8_t{0});
      if (y >= top && y < top + height()) {
        if (lines.empty()) read_line(line_.data());
        paint(lines.empty() ? line_.data() : &lines[(y - top) * width()]);
      }
      canvas_.add_row(row_.data(), 4);
    }
    if (lines.empty() && top + height() > canvas_.size().height) skip_rest();
  }

 private:
  std::size_t width() const { return static_cast<std::size_t>(file_.Image.Width); }
  std::size_t height() const { return static_cast<std::size_t>(file_.Image.Height); }

  void read_line(GifByteType* out) {
    if (DGifGetLine(&file_, out, file_.Image.Width) == GIF_ERROR) fail(file_);
  }

  // Passes over the lines below the canvas, so that what follows the frame can be read.
  void skip_rest() {
    GifByteType* block = line_.data();
    while (block)
      if (DGifGetCodeNext(&file_, &block) == GIF_ERROR) return;
  }

  std::vector<GifByteType> read_interlaced() {
    std::vector<GifByteType> out(width() * height());
    constexpr std::size_t kFirst[] = {0, 4, 2, 1};
    constexpr std::size_t kStep[] = {8, 8, 4, 2};
    for (int pass = 0; pass < 4; ++pass)
      for (std::size_t y = kFirst[pass]; y < height(); y += kStep[pass])
        read_line(&out[y * width()]);
    return out;
  }

  // Pixels beyond the canvas are left out.
  void paint(const GifByteType* line) {
    const std::size_t left = static_cast<std::size_t>(file_.Image.Left);
    for (std::size_t x = 0; x < width() && left + x < canvas_.size().width; ++x)
      std::memcpy(&row_[(left + x) * 4], palette_[line[x]], 4);
  }

  GifFileType& file_;
  Canvas& canvas_;
  std::uint8_t palette_[256][4];
  std::vector<GifByteType> line_;
  std::vector<std::uint8_t> row_;
};

}  // namespace

void decode_gif(std::string_view bytes, Canvas& canvas) {
  int error = 0;
  std::string_view left = bytes;
  const std::unique_ptr<GifFileType, Close> file(DGifOpen(&left, read, &error));
  if (!file) fail(error, left);
  canvas.set_size(static_cast<unsigned>(file->SWidth), static_cast<unsigned>(file->SHeight));
  const Records records = records_before_frame(*file);
  if (DGifGetImageDesc(file.get()) == GIF_ERROR) fail(*file);
  const auto frame_pixels = static_cast<std::uint64_t>(file->Image.Width) *
                            static_cast<std::uint64_t>(file->Image.Height);
  if (frame_pixels == 0) throw ImageProblem("its first frame is empty");
  if (frame_pixels > canvas.limits().pixels)
    throw ImageProblem("its first frame is larger than is allowed");
  Frame(*file, records.transparent, canvas).decode();
  canvas.set_animation(may_have_more_frames(*file, records));
}

}  // namespace benzer
