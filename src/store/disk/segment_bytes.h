// What the writer and the reader of segments have in common.
#pragma once

#include <cstdint>
#include <string_view>

namespace benzer::segment_bytes {

inline constexpr std::string_view kMagic = "BENZSEG1";  // the content begins with it
inline constexpr std::uint64_t kVersion = 1;
inline constexpr std::uint64_t kHeadNumbers = 10;  // of the table of contents' end
inline constexpr std::size_t kFilterBlock = 64;    // bytes
inline constexpr std::size_t kKeysPerBlock = 64;   // so that each has 8 bits
inline constexpr std::size_t kAlignment = 64;

// The four bits of a key in its block of 512. Blocks are chosen by the key's upper bits, so these
// come from a product that depends on all.
struct FilterBits {
  explicit FilterBits(std::uint32_t key) noexcept
      : mixed(static_cast<std::uint64_t>(key) * 0x9E3779B97F4A7C15) {}
  std::uint32_t bit(int i) const noexcept {
    return static_cast<std::uint32_t>(mixed >> (28 + 9 * i)) & 511;
  }
  std::uint64_t mixed;
};
inline constexpr int kFilterBits = 4;

}  // namespace benzer::segment_bytes
