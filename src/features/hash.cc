#include "features/hash.h"

#define XXH_INLINE_ALL
#include <algorithm>

#include <xxhash.h>

namespace benzer::internal {
namespace {

__extension__ typedef unsigned __int128 Product;

std::uint64_t key_number(std::uint8_t number, std::uint64_t seed) noexcept {
  return XXH3_64bits_withSeed(&number, 1, seed);
}

// Returns the low half of the 128-bit product, xored with its high half.
std::uint64_t fold(std::uint64_t a, std::uint64_t b) noexcept {
  const Product product = static_cast<Product>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// Reads up to 8 bytes as a little-endian number; missing bytes are zero.
std::uint64_t load(std::string_view bytes) noexcept {
  std::uint64_t value = 0;
  const std::size_t size = std::min<std::size_t>(bytes.size(), 8);
  for (std::size_t i = 0; i < size; ++i) {
    value |= static_cast<std::uint64_t>(static_cast<std::uint8_t>(bytes[i])) << (8 * i);
  }
  return value;
}

}  // namespace

HashKeys::HashKeys(std::uint64_t s) noexcept
    : seed(s),
      low(),
      high(key_number(17, s)),
      count(key_number(18, s)),
      per_unit(key_number(19, s) | 1),
      repeat(key_number(20, s) | 1) {
  for (std::uint8_t size = 0; size <= kShortUnit; ++size) low[size] = key_number(size, s);
}

std::uint64_t base_power(std::size_t n) noexcept {
  std::uint64_t power = 1;
  for (std::size_t i = 0; i < n; ++i) power *= kBase;
  return power;
}

std::uint64_t hash_long_unit(const std::uint8_t* bytes, std::size_t size,
                             std::uint64_t seed) noexcept {
  return XXH3_64bits_withSeed(bytes, size, seed);
}

std::uint64_t hash_unit(std::string_view bytes, const HashKeys& keys) noexcept {
  if (bytes.size() > kShortUnit) {
    return hash_long_unit(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(),
                          keys.seed);
  }
  const std::uint64_t low = load(bytes);
  const std::uint64_t high = bytes.size() > 8 ? load(bytes.substr(8)) : 0;
  return fold(low ^ keys.low[bytes.size()], high ^ keys.high);
}

std::uint64_t combine(std::span<const std::uint64_t> units) noexcept {
  std::uint64_t sum = 0;
  for (const std::uint64_t unit : units) sum = sum * kBase + unit;
  return sum;
}

std::uint64_t finish(std::uint64_t x) noexcept {
  x ^= x >> 33;
  x *= kFinish1;
  x ^= x >> 29;
  x *= kFinish2;
  return x ^ (x >> 32);
}

}  // namespace benzer::internal
