// Computes perceptual hashes: images that look alike have hashes that differ in few bits.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

#include "image/picture.h"

namespace benzer {

// Bit i is bit i % 64 of word i / 64. A hash of 64 bits uses only the first word.
struct ImageHash {
  std::array<std::uint64_t, 4> words{};
  // For pdq, 0 to 100: how much detail the image has to identify it by. Other hashes have 100.
  int quality = 100;
  friend bool operator==(const ImageHash&, const ImageHash&) = default;
};

inline int distance(const ImageHash& a, const ImageHash& b) noexcept {
  int bits = 0;
  for (std::size_t i = 0; i < a.words.size(); ++i) bits += std::popcount(a.words[i] ^ b.words[i]);
  return bits;
}

// The first `bits` bits (a multiple of 4) as one number in hex digits, the highest bit first. That
// is what ThreatExchange prints for pdq, and ImageHash for dhash and phash (the top left is bit
// 63).
std::string hex(const ImageHash& hash, int bits);

// For a grey image that is not empty, of up to 2^24 pixels a side. Threads: pure functions.
ImageHash dhash(const Picture& grey);  // 64 bits
ImageHash phash(const Picture& grey);  // 64 bits
// 256 bits. A side of less than 5 pixels gives no bits and quality 0, as in the reference code.
ImageHash pdq(const Picture& grey);

// The image turned and mirrored: 0 as it is, 1 to 3 turned by 90, 180 and 270 degrees clockwise, 4
// to 7 the mirror images (left to right) of these.
Picture turned(const Picture& picture, int orientation);

}  // namespace benzer
