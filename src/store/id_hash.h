// The hash by which tables and segments look up a document's id. The seed is drawn where the hashes
// are made: ids could be chosen so that their hashes are equal, and each look-up would read them
// all.
#pragma once

#include <cstdint>
#include <string_view>

#include <xxhash.h>

namespace benzer {

inline std::uint32_t hash_of_id(std::string_view id, std::uint64_t seed) noexcept {
  return static_cast<std::uint32_t>(XXH3_64bits_withSeed(id.data(), id.size(), seed) >> 32);
}

}  // namespace benzer
