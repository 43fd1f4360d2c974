#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "benzer/features.h"

#include "base/secret.h"
#include "features/unique_features.h"

namespace benzer {
namespace {

// A table of up to this many slots is on the stack.
constexpr std::size_t kSmall = 4096;

// For more features than these the table grows with the number of different ones among them.
constexpr std::size_t kAtATime = std::size_t{1} << 18;

}  // namespace

FeatureSet::FeatureSet(std::span<const std::uint64_t> features) {
  if (features.empty()) return;
  if (features.size() > kAtATime) {
    internal::UniqueFeatures unique;
    unique.add(features);
    *this = unique.take();
    return;
  }
  // The table has at least twice as many slots as features. An empty slot holds 0, so the feature 0
  // is handled separately.
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
  // A set may be kept for long, so room that repeats had taken is given back.
  if (size < features.size() / 2) features_.shrink_to_fit();
}

namespace internal {

void UniqueFeatures::add(std::span<const std::uint64_t> features) {
  std::size_t first = 0;
  if (set_.empty()) {
    first = std::min(features.size(), kAtATime);
    set_ = FeatureSet(features.first(first));
  }
  insert(features.subspan(first));
}

FeatureSet UniqueFeatures::take() {
  std::vector<std::uint64_t>().swap(table_);
  has_zero_ = false;
  return std::exchange(set_, {});
}

std::uint64_t& UniqueFeatures::slot(std::uint64_t feature) noexcept {
  const std::size_t mask = table_.size() - 1;
  std::size_t at = place_of_(feature);
  while (table_[at] != 0 && table_[at] != feature) at = (at + 1) & mask;
  return table_[at];
}

void UniqueFeatures::make_table(std::size_t features) {
  table_.assign(std::max(kSmall, std::bit_ceil(2 * features)), 0);
  place_of_ = SecretPlaces(table_.size());
  for (const std::uint64_t feature : set_.features_) {
    has_zero_ |= feature == 0;
    if (feature != 0) slot(feature) = feature;
  }
}

void UniqueFeatures::insert(std::span<const std::uint64_t> features) {
  std::vector<std::uint64_t>& unique = set_.features_;
  for (const std::uint64_t feature : features) {
    if (2 * (unique.size() + 1) > table_.size()) make_table(unique.size() + 1);
    if (feature == 0) {
      if (!std::exchange(has_zero_, true)) unique.push_back(0);
      continue;
    }
    std::uint64_t& place = slot(feature);
    if (place == feature) continue;
    place = feature;
    unique.push_back(feature);
  }
}

}  // namespace internal

}  // namespace benzer
