// Computes hashes that nobody outside the process can predict: they depend on random numbers that
// the process draws once. They are for hash tables whose keys come from others, and for telling
// such keys apart.
//
// No output may depend on them: they differ from run to run.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <xxhash.h>

#include "base/random_seed.h"
#include "base/splitmix.h"

namespace benzer {

struct Secret {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  std::uint64_t factor = 1;  // odd
};

// The same as long as the process lives. Threads: any number.
inline const Secret& process_secret() {
  static const Secret secret{random_seed(), random_seed(), random_seed() | 1};
  return secret;
}

// A 64-bit hash of the bytes. XXH3 processes long inputs in lanes of 32 bits, so it is weaker for
// them than the width of its result suggests. Therefore they are hashed in pieces, each with the
// hash of the pieces before it as its seed.
inline std::uint64_t secret_hash(std::string_view bytes, const Secret& key = process_secret()) {
  constexpr std::size_t kPiece = 128;
  std::uint64_t hash = key.first + bytes.size();
  do {
    const std::string_view piece = bytes.substr(0, kPiece);
    hash = XXH3_64bits_withSeed(piece.data(), piece.size(), hash);
    bytes.remove_prefix(piece.size());
  } while (!bytes.empty());
  return splitmix64(hash ^ key.second);
}

inline std::uint64_t secret_hash(std::uint64_t number) noexcept {
  return splitmix64(number ^ process_secret().first);
}

// For std::unordered_set and std::unordered_map.
struct SecretHash {
  std::size_t operator()(std::uint64_t number) const noexcept { return secret_hash(number); }
  std::size_t operator()(std::string_view bytes) const { return secret_hash(bytes); }
};

// A secret bijection of 32-bit keys, for tables that place their keys by the order of these.
class SecretKeys {
 public:
  SecretKeys()
      : mask_(static_cast<std::uint32_t>(process_secret().first)),
        first_(static_cast<std::uint32_t>(process_secret().factor)),
        second_(static_cast<std::uint32_t>(process_secret().second) | 1) {}
  std::uint32_t operator()(std::uint32_t key) const noexcept {
    key = (key ^ mask_) * first_;
    return (key ^ key >> 15) * second_;
  }

 private:
  std::uint32_t mask_, first_, second_;  // the factors are odd
};

// Maps numbers to places in a table whose size is a power of two, at least two. Any two numbers
// that others have chosen get the same place with a probability of at most 2 / places
// (multiply-shift: Dietzfelbinger et al., J. Algorithms 25, 1997). Costs one multiplication.
class SecretPlaces {
 public:
  SecretPlaces() : SecretPlaces(2) {}
  explicit SecretPlaces(std::size_t places)
      : factor_(process_secret().factor), shift_(64 - __builtin_ctzll(places)) {}
  std::size_t operator()(std::uint64_t number) const noexcept {
    return static_cast<std::size_t>(number * factor_ >> shift_);
  }

 private:
  std::uint64_t factor_;
  int shift_;
};

}  // namespace benzer
