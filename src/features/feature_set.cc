#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <utility>

#include "benzer/features.h"

#include "base/secret.h"
#include "features/unique_features.h"

namespace benzer {
namespace {

// A table of up to this many slots is on the stack.
constexpr std::size_t kSmall = 16'384;

// For more features than these the table grows with the number of different ones among them.
constexpr std::size_t kAtATime = std::size_t{1} << 18;

// Copies each of the features to `out` when it occurs first, and returns how many these are. The
// slots, all 0 at first, get their places in `out`, counted from 1. That makes a slot small, so
// that a table can have many of them and still be in the first cache: at most an eighth is in use
// (a quarter if they are many), and most features go to the slot that they ask for, as the
// processor guesses.
template <class Place>
std::size_t copy_unique(std::span<const std::uint64_t> features, std::span<Place> slots,
                        std::uint64_t* out) {
  const SecretPlaces slot_of(slots.size());
  std::size_t size = 0;
  for (const std::uint64_t feature : features) {
    std::size_t slot = slot_of(feature);
    while (slots[slot] != 0 && out[slots[slot] - 1] != feature)
      slot = (slot + 1) & (slots.size() - 1);
    if (slots[slot] != 0) continue;
    out[size++] = feature;
    slots[slot] = static_cast<Place>(size);
  }
  return size;
}

}  // namespace

FeatureSet::FeatureSet(std::span<const std::uint64_t> features) {
  if (features.empty()) return;
  if (features.size() > kAtATime) {
    internal::UniqueFeatures unique;
    unique.add(features);
    *this = unique.take();
    return;
  }
  features_.resize(features.size());
  const std::size_t slots = std::bit_ceil(8 * features.size());
  std::size_t size = 0;
  if (slots <= kSmall) {
    std::array<std::uint16_t, kSmall> small;
    std::fill_n(small.data(), slots, std::uint16_t{0});
    size = copy_unique(features, std::span(small.data(), slots), features_.data());
  } else if (features.size() <= std::numeric_limits<std::uint16_t>::max()) {
    std::vector<std::uint16_t> large(slots);
    size = copy_unique(features, std::span(large), features_.data());
  } else {
    std::vector<std::uint32_t> large(slots / 2);
    size = copy_unique(features, std::span(large), features_.data());
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
