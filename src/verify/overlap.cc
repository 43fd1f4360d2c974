#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "benzer/error.h"
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

// A table of chains is filled without a branch that the processor could guess wrong, which open
// addressing has for each feature; that made loading three times as slow.
void OverlapCounter::load(std::span<const std::uint64_t> unique_features) {
  const std::size_t count = unique_features.size();
  if (count >= std::numeric_limits<std::uint32_t>::max())
    throw Error(ErrorCode::kBadInput,
                fmt::format("a set has {} features, and at most 4294967294 are compared", count));
  const std::size_t chains = std::bit_ceil(std::max<std::size_t>(2 * count, 16));
  // What may throw comes first: without memory the set that was loaded before stays.
  following_.resize(std::max(following_.size(), count + 1));
  loaded_.reserve(count);
  chains_.assign(chains, 0);
  loaded_.assign(unique_features.begin(), unique_features.end());
  factor_ = process_secret().factor;
  shift_ = 64 - std::countr_zero(chains);
  size_ = size_of(unique_features, weighting());
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t& first = chains_[chain_of(loaded_[i])];
    following_[i + 1] = std::exchange(first, static_cast<std::uint32_t>(i + 1));
  }
}

// Returns the place of the feature in the loaded set counted from 1, or 0 if it is not there; its
// weight may be another. next: where it most likely is, counted from 0.
inline std::size_t OverlapCounter::find(std::uint64_t feature, std::size_t next) const noexcept {
  if (next < loaded_.size() && ((loaded_[next] ^ feature) & mask_) == 0) return next + 1;
  std::size_t at = chains_[chain_of(feature)];
  while (at != 0 && ((loaded_[at - 1] ^ feature) & mask_) != 0) at = following_[at];
  return at;
}

bool OverlapCounter::contains(std::uint64_t feature) const noexcept {
  return find(feature, loaded_.size()) != 0;
}

// What two sets share is mostly in the same order in both, so after one feature that both have the
// next one is looked for behind it first. next: see find(); 0 for the first features of a set.
std::uint64_t OverlapCounter::shared_size(std::span<const std::uint64_t> unique_features,
                                          std::size_t& next) const noexcept {
  const auto sum = [&](auto size_of_shared) {
    std::uint64_t shared = 0;
    for (const std::uint64_t feature : unique_features)
      if (const std::size_t at = find(feature, next)) {
        shared += size_of_shared(loaded_[at - 1], feature);
        next = at;
      }
    return shared;
  };
  if (weighting() == Weighting::kNone)
    return sum([](std::uint64_t, std::uint64_t) { return std::uint64_t{1}; });
  // Larger weights have larger codes, so the smaller weight has the smaller code.
  return sum([](std::uint64_t a, std::uint64_t b) {
    return weight_of_code(std::min(a & kWeightBits, b & kWeightBits));
  });
}

std::optional<Overlap> OverlapCounter::compare(std::span<const std::uint64_t> unique_features,
                                               const Threshold& threshold) const noexcept {
  const std::uint64_t size = size_of(unique_features, weighting());
  const std::uint64_t needed = threshold.needed_intersection(size_, size, measure_);
  if (needed > std::min(size_, size)) return std::nullopt;
  std::uint64_t shared = 0;
  std::uint64_t left = size;  // of the features that were not looked up yet
  std::size_t next = 0;
  for (std::size_t start = 0; start < unique_features.size(); start += kStride) {
    const std::span<const std::uint64_t> some =
        unique_features.subspan(start, std::min(kStride, unique_features.size() - start));
    shared += shared_size(some, next);
    left -= size_of(some, weighting());
    if (shared + left < needed) return std::nullopt;
  }
  return overlap_of_sizes(shared, size_, size, measure_);
}

Overlap OverlapCounter::compare(std::span<const std::uint64_t> unique_features) const noexcept {
  std::size_t next = 0;
  return overlap_of_sizes(shared_size(unique_features, next), size_,
                          size_of(unique_features, weighting()), measure_);
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
