// Makes the band keys of image hashes: those by which a document is stored, and those that a query
// looks up.
//
// Each chunk of a hash is a band. Its key is a hash of the chunk, since stores expect keys to be
// evenly spread. A query looks up every key that is near enough (verify/hash_index.h), so that
// nothing within the distance is missed. An image without a hash has one key, in the first band.
#pragma once

#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "benzer/schema.h"

#include "image/hash_features.h"
#include "store/store.h"

namespace benzer {

// Whether any field of the schema is an image hash, and whether all are.
bool has_hashes(const Schema& schema) noexcept;
bool has_only_hashes(const Schema& schema) noexcept;
// The number of chunks of the schema's longest hash; 0 if it has no hashes.
std::uint32_t hash_bands(const Schema& schema) noexcept;

// Sets the keys of an image with these features, and its hash in place of a cut signature.
void set_hash_keys(std::span<const std::uint64_t> features, const HashLayout& layout,
                   FieldHashes& out);

// Number of 64-bit words of the hash at the beginning of a cut signature.
inline constexpr std::size_t kHashWords = std::tuple_size_v<decltype(ImageHash::words)>;

// Returns all keys that a query must look up to find every hash within the distance, as fields with
// at most one key a band. The keys of all orientations of the query are among them.
std::vector<FieldHashes> hash_probes(const FieldHashes& query, int bits, int distance,
                                     const HashLayout& layout);

}  // namespace benzer
