// Shingles of a text as it is (text:shingleN): the rules of the slides and of the blog on Scala.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/splitmix.h"

namespace benzer::internal {

// A hash of 32 bits as a feature: the lower half. The upper half is a function of it, as sketches
// want all bits of a feature to look random.
inline std::uint64_t of_four_bytes(std::uint32_t hash) noexcept {
  return (splitmix64(hash) & ~std::uint64_t{0xFFFFFFFF}) | hash;
}

// The same of the hash djb2a: from 5381, each byte, taken with its sign, is xored onto 33 times
// what was.
std::uint64_t of_djb2a(std::string_view bytes) noexcept;

}  // namespace benzer::internal
