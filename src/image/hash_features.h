// Writes a hash of an image as a feature set: one feature for each chunk of 16 bits, marked with
// its place. So all code that stores, writes or compares features can handle hashes, and sets are
// equal if and only if the hashes are.
//
//   bits 0-15   the chunk    16-23   its place, from 0    24-27   the orientation (turned())
//
// An image with too little detail has no hash. Its features are those of the bytes of its file
// (file_hash.h), with the highest bit set, which it shares only with copies of the file. Its greys
// would not do: a white drawing on transparency has none, nor have the later frames of an
// animation.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "image/hashes.h"

namespace benzer {

inline constexpr int kChunkBits = 16;
inline constexpr int kOrientations = 8;
inline constexpr std::uint64_t kBytesMark = std::uint64_t{1} << 63;

inline std::uint16_t chunk(const ImageHash& hash, int place) noexcept {
  return static_cast<std::uint16_t>(hash.words[static_cast<std::size_t>(place) / 4] >>
                                    (place % 4 * kChunkBits));
}

inline void set_chunk(ImageHash& hash, int place, std::uint16_t value) noexcept {
  std::uint64_t& word = hash.words[static_cast<std::size_t>(place) / 4];
  const int shift = place % 4 * kChunkBits;
  word = (word & ~(std::uint64_t{0xFFFF} << shift)) | std::uint64_t{value} << shift;
}

inline void add_hash_features(const ImageHash& hash, int bits, int orientation,
                              std::vector<std::uint64_t>& out) {
  for (int place = 0; place < bits / kChunkBits; ++place)
    out.push_back(static_cast<std::uint64_t>(orientation) << 24 |
                  static_cast<std::uint64_t>(place) << 16 | chunk(hash, place));
}

// The hashes of an image: as it is, and in its other orientations if they were requested.
struct HashesOfPicture {
  std::array<ImageHash, kOrientations> hashes;
  int count = 0;  // 0 for an image without a hash, see above
};

// Reads features that add_hash_features() made, in any order.
inline HashesOfPicture read_hash_features(std::span<const std::uint64_t> features) noexcept {
  HashesOfPicture out;
  for (const std::uint64_t feature : features) {
    if ((feature & kBytesMark) != 0) return {};
    const int orientation = static_cast<int>(feature >> 24) % kOrientations;
    set_chunk(out.hashes[static_cast<std::size_t>(orientation)],
              static_cast<int>(feature >> 16 & 15), static_cast<std::uint16_t>(feature));
    if (orientation >= out.count) out.count = orientation + 1;
  }
  return out;
}

// Converts the distance of two hashes to an overlap out of `bits`. Each bit that differs takes two
// from the bits that agree beyond chance, so the score is (bits - 2 distance) / bits. Unrelated
// images, half of whose bits agree, have 0.
inline std::uint64_t agreement_beyond_chance(int bits, int hash_distance) noexcept {
  return static_cast<std::uint64_t>(bits > 2 * hash_distance ? bits - 2 * hash_distance : 0);
}

}  // namespace benzer
