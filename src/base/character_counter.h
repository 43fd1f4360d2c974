// Counts characters (code points) of UTF-8.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
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
  static std::uint64_t characters_of(std::string_view text) noexcept {
    const auto begins_one = [](char c) { return (c & 0xC0) != 0x80; };
    return static_cast<std::uint64_t>(std::count_if(text.begin(), text.end(), begins_one));
  }

  std::string_view text_;
  std::vector<std::uint64_t> before_;  // of each block
};

}  // namespace benzer
