#include "store/redis/command.h"

#include <array>
#include <charconv>

namespace benzer::redis {
namespace {

constexpr std::array<std::uint16_t, 256> crc_table() {
  std::array<std::uint16_t, 256> out{};
  for (unsigned byte = 0; byte < 256; ++byte) {
    unsigned crc = byte << 8;
    for (int bit = 0; bit < 8; ++bit) crc = crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1;
    out[byte] = static_cast<std::uint16_t>(crc);
  }
  return out;
}
constexpr std::array<std::uint16_t, 256> kCrc = crc_table();

// Appends "*4\r\n": what comes next has so many words or bytes.
void append_length(char kind, std::size_t length, std::string& out) {
  std::array<char, 24> text;
  text[0] = kind;
  char* end = std::to_chars(text.data() + 1, text.data() + text.size() - 2, length).ptr;
  *end++ = '\r';
  *end++ = '\n';
  out.append(text.data(), end);
}

}  // namespace

std::uint16_t slot_of(std::string_view key) noexcept {
  if (const std::size_t open = key.find('{'); open != std::string_view::npos) {
    const std::size_t close = key.find('}', open + 1);
    if (close != std::string_view::npos && close > open + 1)
      key = key.substr(open + 1, close - open - 1);
  }
  unsigned crc = 0;
  for (const char c : key)
    crc = (crc << 8 & 0xFFFF) ^ kCrc[(crc >> 8 ^ static_cast<unsigned char>(c)) & 0xFF];
  return static_cast<std::uint16_t>(crc % kSlots);
}

void append_command(std::initializer_list<std::string_view> words, std::string& out) {
  append_length('*', words.size(), out);
  for (const std::string_view word : words) {
    append_length('$', word.size(), out);
    out.append(word).append("\r\n");
  }
}

void Pipeline::add(std::initializer_list<std::string_view> words) {
  const std::size_t begin = bytes_.size();
  append_command(words, bytes_);
  commands_.push_back({begin, bytes_.size() - begin, slot_of(words.begin()[1])});
}

}  // namespace benzer::redis
