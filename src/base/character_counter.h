// Counts characters (code points) of UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace benzer {

// Counts the characters before any byte of a text, which must outlive it. Of invalid bytes, 80 to
// BF (hexadecimal) do not count.
class CharacterCounter {
 public:
  explicit CharacterCounter(std::string_view text) : text_(text) {
    std::uint64_t count = 0;
    for (std::size_t begin = 0; begin <= text.size(); begin += kBlock) {
      before_.push_back(count);
      count += characters_of(text.substr(begin, kBlock));
    }
  }
  std::uint64_t before(std::uint64_t byte) const noexcept {
    const std::size_t block = byte / kBlock;
    return before_[block] + characters_of(text_.substr(block * kBlock, byte % kBlock));
  }

 private:
  static constexpr std::size_t kBlock = 1024;
  // Counts the bytes that continue a character, eight at a time, and leaves them out.
  static std::uint64_t characters_of(std::string_view text) noexcept {
    constexpr std::uint64_t kOnes = 0x0101010101010101;
    std::uint64_t others = 0;
    std::size_t at = 0;
    for (; text.size() - at >= sizeof(std::uint64_t); at += sizeof(std::uint64_t)) {
      std::uint64_t eight;
      std::memcpy(&eight, text.data() + at, sizeof eight);
      others += ((eight >> 7 & ~(eight >> 6) & kOnes) * kOnes) >> 56;
    }
    for (; at < text.size(); ++at) others += (text[at] & 0xC0) == 0x80;
    return text.size() - others;
  }

  std::string_view text_;
  std::vector<std::uint64_t> before_;  // of each block
};

}  // namespace benzer
