// Makes the keys of sets that are found whatever the sizes of set and query are (KeySampling).
//
// A key is a hash of a feature, and so is the choice of the features that a set is stored under.
// Both need only the feature, so stores keep the features of a document and not its keys.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/splitmix.h"
#include "store/store.h"

namespace benzer {

// Calls visit(key) for the features that a set is stored under. Of features with the same hash each
// is visited.
template <class Visit>
void for_each_sampled_key(std::span<const std::uint64_t> features, const KeySampling& sampling,
                          Visit visit) {
  const bool takes_all = features.size() < sampling.least;
  const std::uint64_t below = (std::uint64_t{sampling.thousandths} << 32) / 1000;
  for (const std::uint64_t feature : features) {
    const std::uint64_t hash = splitmix64(feature);
    if (takes_all || (hash & 0xFFFFFFFF) < below)
      visit(std::min(static_cast<std::uint32_t>(hash >> 32), kNoStoreKey - 1));
  }
}

// Returns the keys that a set is stored under, ascending and each once.
std::vector<std::uint32_t> sampled_keys(std::span<const std::uint64_t> features,
                                        const KeySampling& sampling);
// Returns the keys that a query looks up, ascending and each once: those of all features.
std::vector<std::uint32_t> query_keys(std::span<const std::uint64_t> features);

// Sets the keys of a field whose features were read, if these are all that is kept.
inline void restore_keys(const HashLayout& layout, FieldHashes& field) {
  if (layout.sampling) field.keys = sampled_keys(field.features, *layout.sampling);
}

}  // namespace benzer
