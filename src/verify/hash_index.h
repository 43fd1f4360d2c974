// All hashes within a distance, and none missed: multi-index hashing (Norouzi, Punjani, Fleet,
// "Fast search in Hamming space with multi-index hashing", CVPR 2012).
//
// A hash is cut into m chunks of 16 bits, each of which has a table. Let the distance be D = q m +
// r with r < m. If each of the first r + 1 chunks differed in more than q bits, and each other in
// more than q - 1, the hashes would differ in at least (r + 1)(q + 1) + (m - r - 1) q = D + 1 bits.
// So it is enough to look at the places that differ from a query's chunk in so many bits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "image/hash_features.h"

namespace benzer {

// How many bits of a chunk may differ; below zero the chunk is not looked at.
int chunk_radius(int chunks, int place, int distance) noexcept;
// Beyond it there are more places to look at than most collections have hashes.
inline constexpr int kLargestRadius = 4;
// The patterns of 16 bits with at most so many ones (kLargestRadius at most; below zero none):
// fewest ones first, of as many the smallest first.
std::span<const std::uint16_t> chunk_flips(int radius);

// Threads: immutable; share freely.
class HashIndex {
 public:
  // bits: 64 or 256. Memory: 4 bytes a chunk and 32 for each hash, and 256 KiB a chunk. Cost: some
  // 50 ns a hash.
  HashIndex(std::vector<ImageHash> hashes, int bits);

  // Adds the numbers of all hashes within the distance, ascending. Cost with a million hashes of
  // 256 bits: some 0.1 ms within 31 bits; where looking at all is cheaper (14 ms for a million)
  // that is done.
  void find(const ImageHash& query, int distance, std::vector<std::uint32_t>& out) const;

  std::size_t size() const noexcept { return hashes_.size(); }

 private:
  using Words = decltype(ImageHash::words);
  bool is_near(const ImageHash& query, std::uint32_t number, std::uint32_t distance) const noexcept;
  void scan(const ImageHash& query, int distance, std::vector<std::uint32_t>& out) const;

  const struct Kernels& kernels_;
  std::vector<Words> hashes_;
  int chunks_;
  // Of each chunk: where the hashes with each of its values begin, and their numbers.
  std::vector<std::vector<std::uint32_t>> starts_, numbers_;
};

}  // namespace benzer
