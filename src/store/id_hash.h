// Under which tables and segments find the ids of documents.
#pragma once

#include <cstdint>
#include <string_view>

#include <xxhash.h>

namespace benzer {

inline std::uint32_t hash_of_id(std::string_view id) noexcept {
  return static_cast<std::uint32_t>(XXH3_64bits(id.data(), id.size()) >> 32);
}

}  // namespace benzer
