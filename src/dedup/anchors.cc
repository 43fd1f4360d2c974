#include "dedup/anchors.h"

namespace benzer {

void AnchorPicker::add(std::span<const std::uint64_t> features) {
  const auto by_hash = [](const Ranked& one, std::uint64_t hash) { return one.hash < hash; };
  for (const std::uint64_t feature : features) {
    const std::uint64_t hash = hash_of(feature);
    if (lowest_.size() == most_ && hash >= lowest_.back().hash) continue;
    const auto at = std::lower_bound(lowest_.begin(), lowest_.end(), hash, by_hash);
    if (at != lowest_.end() && at->hash == hash) continue;
    // The feature goes in place of the highest one.
    const auto place = at - lowest_.begin();
    if (lowest_.size() == most_) lowest_.pop_back();
    lowest_.insert(lowest_.begin() + place, {hash, feature});
  }
}

bool AnchorPicker::contains(std::uint64_t feature) const noexcept {
  const std::uint64_t hash = hash_of(feature);
  return std::binary_search(lowest_.begin(), lowest_.end(), Ranked{hash, feature},
                            [](const Ranked& x, const Ranked& y) { return x.hash < y.hash; });
}

}  // namespace benzer
