// Tells files from each other byte for byte, whoever made them: nobody can make two files that have
// one hash, or a second file for the hash of a given one. A hash with a known seed that is not
// cryptographic would not do. Of XXH3, also with 128 bits, such files can be written down.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "image/hash_features.h"

namespace benzer {

// Most of the SHA-256 of a file: of each of its 64-bit words, little-endian, the lower 61 bits.
struct FileHash {
  std::array<std::uint64_t, 4> words{};  // all 0: of no file
  bool is_there() const noexcept { return *this != FileHash(); }
  friend bool operator==(const FileHash&, const FileHash&) = default;
};

inline constexpr int kBitsOfFileWord = 61;

// Throws Error(kUnavailable) if OpenSSL has no SHA-256, and Error(kInvalidArgument) if this build
// has no images.
FileHash hash_of_file(std::string_view bytes);

// Appends one feature for each word: the word in bits 0 to 60, its place in 61 and 62, kBytesMark.
inline void add_file_features(const FileHash& hash, std::vector<std::uint64_t>& out) {
  for (std::size_t i = 0; i < hash.words.size(); ++i)
    out.push_back(kBytesMark | std::uint64_t{i} << kBitsOfFileWord | hash.words[i]);
}

// Reads a feature with kBytesMark into its word.
inline void read_file_feature(std::uint64_t feature, FileHash& out) noexcept {
  out.words[feature >> kBitsOfFileWord & 3] = feature & ((std::uint64_t{1} << kBitsOfFileWord) - 1);
}

}  // namespace benzer
