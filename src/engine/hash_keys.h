// Hashes of pictures in an index: where a document is found, and where a query looks.
//
// Each chunk of a hash is a band, whose key is a hash of the chunk, since stores take keys for
// evenly spread. A query looks at every key that is near enough (verify/hash_index.h), so that
// nothing within the distance is missed. A picture without a hash has one key, in the first band.
#pragma once

#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "benzer/schema.h"

#include "image/hash_features.h"
#include "store/store.h"

namespace benzer {

// Of a schema: does any field have them, and do all?
bool has_hashes(const Schema& schema) noexcept;
bool has_only_hashes(const Schema& schema) noexcept;
// Chunks of the longest hash; 0: there is none.
std::uint32_t hash_bands(const Schema& schema) noexcept;

// Of a picture with these features: its keys, and its hash in place of a cut signature.
void set_hash_keys(std::span<const std::uint64_t> features, const HashLayout& layout,
                   FieldHashes& out);

// Words of the hash that a cut signature begins with.
inline constexpr std::size_t kHashWords = std::tuple_size_v<decltype(ImageHash::words)>;

// Everywhere a query has to look, as fields with one key a band. It is looked for in all of its
// orientations.
std::vector<FieldHashes> hash_probes(const FieldHashes& query, int bits, int distance,
                                     const HashLayout& layout);

}  // namespace benzer
