#include <algorithm>
#include <bit>

#include "benzer/similarity.h"

#include "base/secret.h"

namespace benzer {
namespace {

// Features that are looked up between two checks of whether the threshold can still be reached.
constexpr std::size_t kStride = 32;

}  // namespace

void OverlapCounter::load(std::span<const std::uint64_t> unique_features) {
  // At most half full, so that a look-up rarely needs a second step.
  const std::size_t places = std::bit_ceil(std::max<std::size_t>(2 * unique_features.size(), 16));
  table_.assign(places, 0);
  factor_ = process_secret().factor;
  shift_ = 64 - std::countr_zero(places);
  size_ = unique_features.size();
  has_zero_ = false;
  for (const std::uint64_t feature : unique_features) {
    if (feature == 0) {
      has_zero_ = true;
      continue;
    }
    std::size_t place = place_of(feature);
    while (table_[place] != 0) place = (place + 1) & (places - 1);
    table_[place] = feature;
  }
}

bool OverlapCounter::contains(std::uint64_t feature) const noexcept {
  if (feature == 0) return has_zero_;
  std::size_t place = place_of(feature);
  while (table_[place] != 0) {
    if (table_[place] == feature) return true;
    place = (place + 1) & (table_.size() - 1);
  }
  return false;
}

std::optional<Overlap> OverlapCounter::compare(std::span<const std::uint64_t> unique_features,
                                               const Threshold& threshold) const noexcept {
  const std::size_t n = unique_features.size();
  const std::uint64_t needed = threshold.needed_intersection(size_, n);
  if (needed > std::min(size_, n)) return std::nullopt;
  std::uint64_t shared = 0;
  for (std::size_t start = 0; start < n; start += kStride) {
    const std::size_t end = std::min(n, start + kStride);
    for (std::size_t i = start; i < end; ++i) shared += contains(unique_features[i]);
    if (shared + (n - end) < needed) return std::nullopt;
  }
  return Overlap{shared, size_ + n - shared};
}

Overlap OverlapCounter::compare(std::span<const std::uint64_t> unique_features) const noexcept {
  std::uint64_t shared = 0;
  for (const std::uint64_t feature : unique_features) shared += contains(feature);
  return {shared, size_ + unique_features.size() - shared};
}

Overlap overlap(const FeatureSet& a, const FeatureSet& b) {
  OverlapCounter counter;
  counter.load(a.features());
  return counter.compare(b.features());
}

std::vector<SimilarSets> BruteForce::pairs(const Threshold& threshold) const {
  std::vector<SimilarSets> found;
  OverlapCounter counter;
  for (std::uint32_t a = 0; a < sets_.size(); ++a) {
    counter.load(sets_[a].features());
    for (std::uint32_t b = a + 1; b < sets_.size(); ++b) {
      const Overlap common = counter.compare(sets_[b].features());
      if (threshold.reached(common.intersection, common.set_union)) found.push_back({a, b, common});
    }
  }
  return found;
}

}  // namespace benzer
