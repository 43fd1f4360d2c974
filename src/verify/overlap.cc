#include <algorithm>
#include <bit>
#include <cmath>

#include "benzer/similarity.h"

#include "base/secret.h"
#include "base/weight.h"

namespace benzer {
namespace {

// Features that are looked up between two checks of whether the threshold can still be reached.
constexpr std::size_t kStride = 32;

}  // namespace

std::uint64_t size_of(std::span<const std::uint64_t> unique_features,
                      Weighting weighting) noexcept {
  return weighting == Weighting::kNone ? unique_features.size() : total_weight(unique_features);
}

Shares shares_of(double containment, std::uint32_t size_a, std::uint32_t size_b) noexcept {
  if (size_a == 0 || size_b == 0) return {};
  const double shared = std::round(containment * std::min(size_a, size_b));
  return {shared / size_a, shared / size_b};
}

Shares shares_of_sets(std::uint64_t shared, std::uint64_t size_a, std::uint64_t size_b) noexcept {
  const auto share = [&](std::uint64_t size) {
    return size == 0 ? 0.0 : static_cast<double>(shared) / static_cast<double>(size);
  };
  return {share(size_a), share(size_b)};
}

Overlap overlap_of_sizes(std::uint64_t shared, std::uint64_t size_a, std::uint64_t size_b,
                         Measure measure) noexcept {
  return {shared,
          measure == Measure::kJaccard ? size_a + size_b - shared : std::min(size_a, size_b)};
}

OverlapCounter::OverlapCounter(Weighting weighting, Measure measure) noexcept
    : mask_(weighting == Weighting::kNone ? ~std::uint64_t{0} : ~kWeightBits), measure_(measure) {}

void OverlapCounter::load(std::span<const std::uint64_t> unique_features) {
  // At most half full, so that a look-up rarely needs a second step.
  const std::size_t places = std::bit_ceil(std::max<std::size_t>(2 * unique_features.size(), 16));
  table_.assign(places, 0);
  factor_ = process_secret().factor;
  shift_ = 64 - std::countr_zero(places);
  const bool has_weights = mask_ != ~std::uint64_t{0};
  size_ = size_of(unique_features, has_weights ? Weighting::kWeights : Weighting::kNone);
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

// Returns the feature of the loaded set that is the same but for its weight. Not for 0.
const std::uint64_t* OverlapCounter::find(std::uint64_t feature) const noexcept {
  std::size_t place = place_of(feature);
  while (table_[place] != 0) {
    if (((table_[place] ^ feature) & mask_) == 0) return &table_[place];
    place = (place + 1) & (table_.size() - 1);
  }
  return nullptr;
}

bool OverlapCounter::contains(std::uint64_t feature) const noexcept {
  return feature == 0 ? has_zero_ : find(feature) != nullptr;
}

// Larger weights have larger codes, so the smaller weight has the smaller code. A feature with a
// weight is never 0.
std::uint64_t OverlapCounter::shared_weight(
    std::span<const std::uint64_t> unique_features) const noexcept {
  std::uint64_t shared = 0;
  for (const std::uint64_t feature : unique_features)
    if (const std::uint64_t* loaded = find(feature))
      shared += weight_of_code(std::min(*loaded & kWeightBits, feature & kWeightBits));
  return shared;
}

Overlap OverlapCounter::overlap_with(std::uint64_t shared, std::uint64_t size) const noexcept {
  return overlap_of_sizes(shared, size_, size, measure_);
}

std::optional<Overlap> OverlapCounter::compare(std::span<const std::uint64_t> unique_features,
                                               const Threshold& threshold) const noexcept {
  if (mask_ != ~std::uint64_t{0}) return compare_weights(unique_features, threshold);
  const std::size_t n = unique_features.size();
  const std::uint64_t needed = threshold.needed_intersection(size_, n, measure_);
  if (needed > std::min<std::uint64_t>(size_, n)) return std::nullopt;
  std::uint64_t shared = 0;
  for (std::size_t start = 0; start < n; start += kStride) {
    const std::size_t end = std::min(n, start + kStride);
    for (std::size_t i = start; i < end; ++i) shared += contains(unique_features[i]);
    if (shared + (n - end) < needed) return std::nullopt;
  }
  return overlap_with(shared, n);
}

std::optional<Overlap> OverlapCounter::compare_weights(
    std::span<const std::uint64_t> unique_features, const Threshold& threshold) const noexcept {
  const std::uint64_t size = total_weight(unique_features);
  const std::uint64_t needed = threshold.needed_intersection(size_, size);
  if (needed > std::min(size_, size)) return std::nullopt;
  std::uint64_t shared = 0;
  std::uint64_t left = size;  // weight of the features that were not looked up yet
  for (std::size_t start = 0; start < unique_features.size(); start += kStride) {
    const std::span<const std::uint64_t> some =
        unique_features.subspan(start, std::min(kStride, unique_features.size() - start));
    shared += shared_weight(some);
    left -= total_weight(some);
    if (shared + left < needed) return std::nullopt;
  }
  return Overlap{shared, size_ + size - shared};
}

Overlap OverlapCounter::compare(std::span<const std::uint64_t> unique_features) const noexcept {
  if (mask_ != ~std::uint64_t{0}) {
    const std::uint64_t shared = shared_weight(unique_features);
    return {shared, size_ + total_weight(unique_features) - shared};
  }
  std::uint64_t shared = 0;
  for (const std::uint64_t feature : unique_features) shared += contains(feature);
  return overlap_with(shared, unique_features.size());
}

Overlap overlap(const FeatureSet& a, const FeatureSet& b, Weighting weighting) {
  OverlapCounter counter(weighting);
  counter.load(a.features());
  return counter.compare(b.features());
}

std::vector<SimilarSets> BruteForce::pairs(const Threshold& threshold) const {
  std::vector<SimilarSets> found;
  OverlapCounter counter(weighting_, measure_);
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
