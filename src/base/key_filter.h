// Remembers 64-bit keys in little memory.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/secret.h"
#include "base/splitmix.h"

namespace benzer {

// Remembers keys, and says of hardly any other that it knows it: a Bloom filter (Bloom 1970) whose
// four bits for a key are in one word. Where they are is a secret; what it says wrongly costs time
// and changes no result.
class KeyFilter {
 public:
  // With 16 bits for each key, about one in 200 unknown keys seems to be known. Which ones depends
  // on the secret.
  KeyFilter(std::uint64_t keys, std::size_t most_bytes,
            std::uint64_t secret = process_secret().first)
      : secret_(secret),
        words_(std::bit_ceil(
            std::clamp<std::uint64_t>(keys / 4, 16, std::max<std::size_t>(most_bytes / 16, 16)))) {}

  void prefetch(std::uint64_t key) const noexcept { __builtin_prefetch(&words_[word(mix(key))]); }
  bool contains(std::uint64_t key) const noexcept {
    const std::uint64_t mixed = mix(key), bits = bits_of(mixed);
    return (words_[word(mixed)] & bits) == bits;
  }
  void add(std::uint64_t key) noexcept {
    const std::uint64_t mixed = mix(key);
    words_[word(mixed)] |= bits_of(mixed);
  }

 private:
  std::uint64_t mix(std::uint64_t key) const noexcept { return splitmix64(key ^ secret_); }
  static std::uint64_t bits_of(std::uint64_t mixed) noexcept {
    std::uint64_t bits = 0;
    for (int i = 0; i < 4; ++i, mixed >>= 6) bits |= std::uint64_t{1} << (mixed & 63);
    return bits;
  }
  std::size_t word(std::uint64_t mixed) const noexcept { return mixed >> 24 & (words_.size() - 1); }

  std::uint64_t secret_;
  std::vector<std::uint64_t> words_;
};

}  // namespace benzer
