// Decodes PGM and PPM with 8 bits a channel, the formats in which callers pass pixels that are in
// no file.
#include <string>

#include "base/white_space.h"
#include "image/codecs/codec.h"

namespace benzer {
namespace {

// Reads a number, after white space and comments in front of it.
std::uint64_t header_number(std::string_view& left) {
  while (!left.empty() && (is_white_space(left[0]) || left[0] == '#')) {
    const std::size_t skipped = left[0] == '#' ? left.find('\n') : 1;
    left.remove_prefix(std::min(skipped, left.size()));
  }
  std::uint64_t out = 0;
  std::size_t digits = 0;
  for (; digits < left.size() && left[digits] >= '0' && left[digits] <= '9'; ++digits) {
    out = out * 10 + static_cast<unsigned>(left[digits] - '0');
    if (out > 0xffff'ffff) throw ImageProblem("a number of its header is too large");
  }
  if (digits == left.size()) throw ImageProblem(kEndsTooEarly);
  if (digits == 0) throw ImageProblem("its header has something that is not a number");
  left.remove_prefix(digits);
  return out;
}

// Whether bytes after a picture begin another: a file may hold several, one after the other.
bool begins_another(std::string_view left) {
  return left.size() > 1 && left[0] == 'P' && left[1] >= '1' && left[1] <= '7';
}

}  // namespace

void decode_pnm(std::string_view bytes, Canvas& canvas) {
  const int channels = bytes[1] == '6' ? 3 : 1;
  std::string_view left = bytes.substr(2);
  const std::uint64_t width = header_number(left);
  const std::uint64_t height = header_number(left);
  const std::uint64_t largest = header_number(left);
  canvas.set_size(width, height);
  if (largest != 255)
    throw ImageProblem("its largest value is " + std::to_string(largest) + "; allowed is 255");
  left.remove_prefix(1);  // the white space after the header
  const std::uint64_t row_bytes = width * static_cast<unsigned>(channels);
  if (left.size() / row_bytes < height) throw ImageProblem(kEndsTooEarly);
  canvas.begin_rows(canvas.size());
  const auto* rows = reinterpret_cast<const std::uint8_t*>(left.data());
  for (std::uint64_t y = 0; y < height; ++y) canvas.add_row(rows + y * row_bytes, channels);
  left.remove_prefix(static_cast<std::size_t>(height * row_bytes));
  canvas.set_animation(begins_another(left));
}

}  // namespace benzer
