#include "io/unpacker.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include <fmt/format.h>

namespace benzer {
namespace {

constexpr std::size_t kPackedBytes = 1 << 18;

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
  input_.resize(kPackedBytes);
  std::size_t got = 0;
  try {
    while (got < input_.size()) {
      const std::size_t n = packed_->read(input_.data() + got, input_.size() - got);
      if (n == 0) break;
      got += n;
    }
  } catch (const StreamDamage&) {
    if (got == 0) throw;  // otherwise the next refill meets it again
  }
  input_.resize(got);
  at_ = 0;
  return got > 0;
}

bool Unpacker::at_magic(std::string_view magic) const {
  const std::size_t n = std::min(left(), magic.size());
  return std::memcmp(input_.data() + at_, magic.data(), n) == 0;
}

bool Unpacker::begins_stream(std::string_view decoder, std::string_view format,
                             std::string_view magic, bool goes_on) {
  if (!began_) {
    if (!at_magic(magic)) wrong_magic(format);
    return began_ = true;
  }
  for (; left() > 0 && input_[at_] == '\0'; ++at_) padding_ = true;
  if (left() == 0) return false;
  if ((padding_ && !goes_on) || !at_magic(magic))
    damaged(decoder, fmt::format("bytes that are not {} follow the packed data", format), 0);
  return true;
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

}  // namespace benzer
