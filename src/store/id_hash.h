// Computes the hash by which tables and segments look up a document's id. Whoever makes the hashes
// draws the seed: with a known seed, ids could be chosen whose hashes are equal, and each look-up
// would read them all.
#pragma once

#include <cstdint>
#include <string_view>

#include <xxhash.h>

namespace benzer {

inline std::uint32_t hash_of_id(std::string_view id, std::uint64_t seed) noexcept {
  return static_cast<std::uint32_t>(XXH3_64bits_withSeed(id.data(), id.size(), seed) >> 32);
}

}  // namespace benzer
