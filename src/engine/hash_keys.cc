#include "engine/hash_keys.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/splitmix.h"
#include "verify/hash_index.h"

namespace benzer {
namespace {

static_assert(std::endian::native == std::endian::little, "hashes are kept as they are in memory");
constexpr std::size_t kHashBytes = sizeof(ImageHash::words);

std::uint32_t key_of(std::uint64_t number) noexcept {
  return std::min(static_cast<std::uint32_t>(splitmix64(number) >> 32), kNoStoreKey - 1);
}

std::uint32_t chunk_key(int place, std::uint16_t value) noexcept {
  return key_of(static_cast<std::uint64_t>(place) << kChunkBits | value);
}

}  // namespace

bool has_hashes(const Schema& schema) noexcept { return hash_bands(schema) > 0; }

bool has_only_hashes(const Schema& schema) noexcept {
  return std::all_of(schema.fields.begin(), schema.fields.end(), [](const FieldSpec& field) {
    return field.features.comparison() == Comparison::kHashes;
  });
}

std::uint32_t hash_bands(const Schema& schema) noexcept {
  int most = 0;
  for (const FieldSpec& field : schema.fields) most = std::max(most, field.features.hash_bits());
  return static_cast<std::uint32_t>(most / kChunkBits);
}

void set_hash_keys(std::span<const std::uint64_t> features, const HashLayout& layout,
                   FieldHashes& out) {
  out.keys.assign(layout.bands, kNoStoreKey);
  out.cut.assign(layout.cut_bytes(), 0);
  const HashesOfPicture found = read_hash_features(features);
  if (found.count == 0) {
    out.keys[0] = key_of(features[0]);
    return;
  }
  for (const std::uint64_t feature : features) {
    const auto place = static_cast<std::size_t>(feature >> kChunkBits);
    if (place < out.keys.size())  // turned hashes have larger places
      out.keys[place] = chunk_key(static_cast<int>(place), static_cast<std::uint16_t>(feature));
  }
  std::memcpy(out.cut.data(), found.hashes[0].words.data(), kHashBytes);
}

std::vector<FieldHashes> hash_probes(const FieldHashes& query, int bits, int distance,
                                     const HashLayout& layout) {
  const HashesOfPicture found = read_hash_features(query.features);
  if (found.count == 0) return {{query.field, {}, query.keys, {}}};
  const int chunks = bits / kChunkBits;
  const int radius = std::min(distance / chunks, kLargestRadius);
  std::vector<FieldHashes> out;
  for (int turn = 0; turn < found.count; ++turn) {
    const ImageHash& hash = found.hashes[static_cast<std::size_t>(turn)];
    for (const std::uint16_t flip : chunk_flips(radius)) {
      FieldHashes& probe = out.emplace_back();
      probe.field = query.field;
      probe.keys.assign(layout.bands, kNoStoreKey);
      for (int place = 0; place < chunks; ++place)
        if (std::popcount(flip) <= chunk_radius(chunks, place, distance))
          probe.keys[static_cast<std::size_t>(place)] =
              chunk_key(place, static_cast<std::uint16_t>(chunk(hash, place) ^ flip));
    }
  }
  return out;
}

}  // namespace benzer
