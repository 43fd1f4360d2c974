// Computes the feature hash: of a unit from its bytes, of a shingle from its unit hashes, and of a
// feature from its shingle.
//
// docs/format.md defines every step. Each function here is one step of the definition; the kernels
// compute the same for whole documents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace benzer::internal {

// The constants of the hash function. All are drawn from XXH3 of a number and the seed, so another
// seed makes another function.
struct HashKeys {
  explicit HashKeys(std::uint64_t seed) noexcept;

  std::uint64_t seed;
  std::uint64_t low[17];          // xored onto the first half of a unit, one per length
  std::uint64_t high;             // xored onto the second half
  std::uint64_t count, per_unit;  // tell shingles of different numbers of units apart
  std::uint64_t repeat;           // tells the occurrences of a shingle in a bag apart

  // Returns what is added to the combination of this many units before it is finished.
  std::uint64_t of_count(std::size_t units) const noexcept { return count + units * per_unit; }
};

// The base of the polynomial that combines unit hashes. Odd, so that a changed word always changes
// the sum; 3 modulo 8, so that the differences of its powers lose as few bits as possible.
inline constexpr std::uint64_t kBase = 0x9E3779B97F4A7C13;

// Multipliers of the finaliser (those of XXH64).
inline constexpr std::uint64_t kFinish1 = 0xC2B2AE3D27D4EB4F;
inline constexpr std::uint64_t kFinish2 = 0x165667B19E3779F9;

// Units of up to this many bytes take one multiplication, longer ones XXH3.
inline constexpr std::size_t kShortUnit = 16;

// Returns kBase to the power n, modulo 2^64.
std::uint64_t base_power(std::size_t n) noexcept;

// Returns XXH3 with the seed, for units of more than kShortUnit bytes.
std::uint64_t hash_long_unit(const std::uint8_t* bytes, std::size_t size,
                             std::uint64_t seed) noexcept;

std::uint64_t hash_unit(std::string_view bytes, const HashKeys& keys) noexcept;

// Returns the sum of each unit's hash times kBase to the power of the number of units after it.
std::uint64_t combine(std::span<const std::uint64_t> units) noexcept;

std::uint64_t finish(std::uint64_t x) noexcept;

// Returns the feature of the n-th occurrence (n >= 1) of a feature in a bag; that of the first is
// the feature itself.
inline std::uint64_t occurrence(std::uint64_t feature, std::uint64_t n,
                                const HashKeys& keys) noexcept {
  return n <= 1 ? feature : finish(feature + (n - 1) * keys.repeat);
}

}  // namespace benzer::internal
