// Finds all hashes within a distance, by multi-index hashing (Norouzi, Punjani, Fleet, "Fast search
// in Hamming space with multi-index hashing", CVPR 2012).
//
// A hash is cut into m chunks of 16 bits, each of which has a table. Let the distance be D = q m +
// r with r < m. If each of the first r + 1 chunks differed in more than q bits, and each other in
// more than q - 1, the hashes would differ in at least (r + 1)(q + 1) + (m - r - 1) q = D + 1 bits.
// So it is enough to look up the values that differ from a chunk of the query in at most q bits, or
// q - 1.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "image/hash_features.h"

namespace benzer {

// Returns how many bits of a chunk may differ; below zero the chunk is not looked up.
int chunk_radius(int chunks, int place, int distance) noexcept;
// With a larger radius there are more values to look up than most indexes have hashes.
inline constexpr int kLargestRadius = 4;
// Returns the patterns of 16 bits with at most `radius` ones (which must be at most kLargestRadius;
// below zero there are none): by number of ones, then by value.
std::span<const std::uint16_t> chunk_flips(int radius);

// An index of hashes. Threads: immutable; share freely.
class HashIndex {
 public:
  // bits: 64 or 256. Memory: 4 bytes a chunk and 32 for each hash, and 256 KiB a chunk. Cost: some
  // 50 ns a hash.
  HashIndex(std::vector<ImageHash> hashes, int bits);

  // Appends the numbers of all hashes within the distance, ascending. Cost with a million hashes of
  // 256 bits: some 0.1 ms within 31 bits. If comparing all hashes is cheaper (14 ms for a million),
  // it does that.
  void find(const ImageHash& query, int distance, std::vector<std::uint32_t>& out) const;

  std::size_t size() const noexcept { return hashes_.size(); }

 private:
  using Words = decltype(ImageHash::words);
  bool is_near(const ImageHash& query, std::uint32_t number, std::uint32_t distance) const noexcept;
  void scan(const ImageHash& query, int distance, std::vector<std::uint32_t>& out) const;

  const struct Kernels& kernels_;
  std::vector<Words> hashes_;
  int chunks_;
  // For each chunk: where in numbers_ the hashes with each value begin, and the hashes' numbers.
  std::vector<std::vector<std::uint32_t>> starts_, numbers_;
};

}  // namespace benzer
