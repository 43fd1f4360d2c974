#include <array>
#include <bit>
#include <cstring>

#include "benzer/features.h"

#include "base/secret.h"

namespace benzer {

FeatureSet::FeatureSet(std::span<const std::uint64_t> features) {
  if (features.empty()) return;
  // A table of twice as many slots at least; small ones live on the stack. An empty slot holds 0,
  // so that the feature 0 is looked after apart.
  constexpr std::size_t kSmall = 4096;
  const std::size_t slots = std::bit_ceil(2 * features.size());
  const SecretPlaces slot_of(slots);
  std::array<std::uint64_t, kSmall> small;
  std::vector<std::uint64_t> large;
  std::uint64_t* table = small.data();
  if (slots > kSmall) {
    large.resize(slots);
    table = large.data();
  } else {
    std::memset(table, 0, slots * sizeof *table);
  }

  features_.resize(features.size());
  std::size_t size = 0;
  bool zero_seen = false;
  for (const std::uint64_t feature : features) {
    if (feature == 0) {
      if (!zero_seen) features_[size++] = 0;
      zero_seen = true;
      continue;
    }
    std::size_t slot = slot_of(feature);
    while (table[slot] != 0 && table[slot] != feature) slot = (slot + 1) & (slots - 1);
    if (table[slot] == feature) continue;
    table[slot] = feature;
    features_[size++] = feature;
  }
  features_.resize(size);
}

}  // namespace benzer
