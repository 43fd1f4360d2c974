// Perceptual hashes: pictures that look alike have hashes that differ in few bits.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

#include "image/picture.h"

namespace benzer {

// Bit i is bit i % 64 of word i / 64; of a hash of 64 bits only the first word is used.
struct ImageHash {
  std::array<std::uint64_t, 4> words{};
  // Of pdq, 0 to 100: how much there is in the picture to tell it by. Others have 100.
  int quality = 100;
  friend bool operator==(const ImageHash&, const ImageHash&) = default;
};

inline int distance(const ImageHash& a, const ImageHash& b) noexcept {
  int bits = 0;
  for (std::size_t i = 0; i < a.words.size(); ++i) bits += std::popcount(a.words[i] ^ b.words[i]);
  return bits;
}

// The first `bits` bits (a multiple of 4) as one number in hex digits, the highest bit first: for
// pdq what ThreatExchange prints, for dhash and phash what ImageHash prints (the top left is bit
// 63).
std::string hex(const ImageHash& hash, int bits);

// Of a grey picture that is not empty; any size, up to 2^24 pixels a side. Threads: pure functions.
ImageHash dhash(const Picture& grey);  // 64 bits
ImageHash phash(const Picture& grey);  // 64 bits
// 256 bits. A side of less than 5 pixels gives no bits and quality 0, as the reference has it.
ImageHash pdq(const Picture& grey);

// The picture turned and mirrored: 0 as it is, 1 to 3 by 90, 180 and 270 degrees clockwise, 4 to 7
// the mirror images (left to right) of these.
Picture turned(const Picture& picture, int orientation);

}  // namespace benzer
