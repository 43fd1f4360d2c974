#include "io/unpacker.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include <fmt/format.h>

namespace benzer {
namespace {

constexpr std::size_t kPackedBytes = 1 << 18;
constexpr std::size_t kOutputBytes = 1 << 17;

}  // namespace

std::size_t Unpacker::read(char* out, std::size_t size) {
  if (!damage_.empty()) throw StreamDamage(damage_);
  std::size_t got = 0;
  try {
    got = decode(out, size);
  } catch (const StreamDamage& damage) {
    damage_ = damage.what();
    got = decoded_before_damage_;
    if (got == 0) throw;
  }
  return got;
}

bool Unpacker::refill() {
  consumed_ += input_.size();
  if (!input_room_) input_room_ = std::make_unique_for_overwrite<char[]>(kPackedBytes);
  std::size_t got = 0;
  try {
    while (got < kPackedBytes) {
      const std::size_t n = packed_->read(input_room_.get() + got, kPackedBytes - got);
      if (n == 0) break;
      got += n;
    }
  } catch (const StreamDamage&) {
    if (got == 0) throw;  // otherwise the next refill() meets the damage again
  }
  input_ = {input_room_.get(), got};
  at_ = 0;
  return got > 0;
}

bool Unpacker::at_magic(std::string_view magic) const {
  const std::size_t n = std::min(left(), magic.size());
  return std::memcmp(input_.data() + at_, magic.data(), n) == 0;
}

void Unpacker::damaged(std::string_view decoder, std::string_view what,
                       std::size_t decoded_before) {
  decoded_before_damage_ = decoded_before;
  throw StreamDamage(fmt::format("{} says at byte {} of the file: {}", decoder, position(), what));
}

void Unpacker::wrong_magic(std::string_view format) {
  std::string found;
  for (std::size_t i = at_; i < std::min(at_ + 4, input_.size()); ++i)
    fmt::format_to(std::back_inserter(found), " {:02x}", static_cast<unsigned char>(input_[i]));
  throw StreamDamage(fmt::format(
      "the content is not {} as the name promises, it begins with the bytes{}", format, found));
}

std::size_t SteadyUnpacker::decode(char* out, std::size_t size) {
  decoded_before_damage_ = 0;
  while (output_at_ == output_end_) {
    output_at_ = output_end_ = 0;
    if (!fill()) return 0;
  }
  const std::size_t got = std::min(size, output_end_ - output_at_);
  std::memcpy(out, output_.data() + output_at_, got);
  output_at_ += got;
  return got;
}

StreamsUnpacker::StreamsUnpacker(std::unique_ptr<ByteStream> packed, Format format)
    : SteadyUnpacker(std::move(packed), kOutputBytes), format_(format) {}

bool StreamsUnpacker::fill() {
  constexpr std::string_view kCut = "unexpected end of the file";
  // All bytes that were decoded in front of the damage were handed out by now.
  if (damaged_) damaged(format_.decoder, problem(), 0);
  if (left() == 0 && !ended_ && !refill()) ended_ = true;
  if (!open_) {
    if (ended_ && any_) return false;
    if (ended_) damaged(format_.decoder, kCut, 0);
    if (!begins_stream()) return true;
    start();
    open_ = true;
  }
  const std::size_t before = at_;
  switch (step()) {
    case Step::kMore:
      // Without input the decoder may still hold output.
      if (output_end_ == 0 && at_ == before && (ended_ || left() > 0))
        damaged(format_.decoder, kCut, 0);
      break;
    case Step::kEnd:
      open_ = false;
      any_ = true;
      break;
    case Step::kDamage:
      damaged_ = true;
  }
  return true;
}

// Skips padding and checks the magic of the next stream. Returns false if all bytes at hand were
// padding.
bool StreamsUnpacker::begins_stream() {
  if (!any_) {
    if (!at_magic(format_.magic)) wrong_magic(format_.name);
    return true;
  }
  for (; left() > 0 && input_[at_] == '\0'; ++at_) padding_ = true;
  if (left() == 0) return false;
  if ((padding_ && !format_.goes_on_after_padding) || !at_magic(format_.magic))
    damaged(format_.decoder,
            fmt::format("bytes that are not {} follow the compressed data", format_.name), 0);
  padding_ = false;
  return true;
}

}  // namespace benzer
