#include "dedup/prefix_index.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace benzer {
namespace {

// The most entries of a list that may be out of order. Each find() looks at all of them.
constexpr std::size_t kUnsorted = 128;
constexpr std::uint64_t kMostCounters = std::uint64_t{1} << 24;
constexpr std::uint64_t kListBytes = 96;  // about the size of a list without its entries

// Returns the fewest features that a set can have that is similar to a set of `size` features.
std::size_t least_size(const Threshold& threshold, std::size_t size) {
  auto least = static_cast<std::size_t>(threshold.value() * static_cast<double>(size));
  least = least < 2 ? 1 : least - 1;
  while (!threshold.reached(least, size)) ++least;
  return least;
}

}  // namespace

PrefixIndex::PrefixIndex(const Threshold& threshold, std::uint64_t features, Measure measure)
    : threshold_(threshold),
      measure_(measure),
      share_(threshold.value() / (1 + threshold.value())),
      mask_(std::bit_ceil(std::clamp(2 * features, std::uint64_t{1024}, kMostCounters)) - 1),
      counters_(std::make_unique<std::atomic<std::uint8_t>[]>(mask_ + 1)) {}

std::atomic<std::uint8_t>& PrefixIndex::counter(std::uint64_t key) noexcept {
  return counters_[(key >> 20) & mask_];
}

void PrefixIndex::count(std::span<const std::uint64_t> features, std::uint64_t group) noexcept {
  for (const std::uint64_t feature : features) {
    std::atomic<std::uint8_t>& sets = counter(feature ^ group);
    std::uint8_t before = sets.load(std::memory_order_relaxed);
    while (before != kMany &&
           !sets.compare_exchange_weak(before, static_cast<std::uint8_t>(before + 1),
                                       std::memory_order_relaxed)) {
    }
  }
}

// Returns the features, rarest first, of which a similar set must have at least one.
std::span<const PrefixIndex::Ranked> PrefixIndex::rarest(std::span<const std::uint64_t> features,
                                                         std::uint64_t group) {
  ranked_.clear();
  for (const std::uint64_t feature : features) {
    const std::uint64_t key = feature ^ group;
    ranked_.push_back({key, counter(key).load(std::memory_order_relaxed)});
  }
  const std::size_t wanted = features.size() - least_size(threshold_, features.size()) + 1;
  const auto end = ranked_.begin() + static_cast<std::ptrdiff_t>(wanted);
  if (end != ranked_.end()) std::nth_element(ranked_.begin(), end, ranked_.end());
  std::sort(ranked_.begin(), end);
  return {ranked_.data(), wanted};
}

void PrefixIndex::add(std::span<const std::uint64_t> features, std::uint64_t group) {
  const auto number = static_cast<std::uint32_t>(sizes_.size());
  sizes_.push_back(static_cast<std::uint32_t>(features.size()));
  met_.push_back(0);
  bytes_ += 8;
  if (features.empty()) return;
  if (measure_ == Measure::kContainment) {
    add_all(features, group, number);
    return;
  }
  const auto size = static_cast<double>(features.size());
  const std::span<const Ranked> first = rarest(features, group);
  const auto by_reach = [](const Entry& x, const Entry& y) { return x.reach > y.reach; };
  for (std::size_t place = 0; place < first.size(); ++place) {
    if (first[place].sets < 2) continue;  // no other set has it
    List& list = lists_[first[place].key];
    if (list.entries.empty()) bytes_ += kListBytes;
    // This feature and those after it must be enough: share * (|x| + |y|) <= |y| - place.
    const double reach = (size - static_cast<double>(place) - share_ * size) * kFraction;
    list.entries.push_back({static_cast<std::int32_t>(std::floor(reach)) + 1, number});
    bytes_ += sizeof(Entry);
    if (list.entries.size() - list.sorted <= kUnsorted) continue;
    const auto middle = list.entries.begin() + static_cast<std::ptrdiff_t>(list.sorted);
    std::sort(middle, list.entries.end(), by_reach);
    std::inplace_merge(list.entries.begin(), middle, list.entries.end(), by_reach);
    list.sorted = list.entries.size();
  }
}

bool PrefixIndex::find(std::span<const std::uint64_t> features, std::uint64_t group,
                       std::size_t most, std::vector<std::uint32_t>& out) {
  if (features.empty()) return true;
  ++question_;
  if (measure_ == Measure::kContainment) return find_containing(features, group, most, out);
  std::size_t looked_at = 0;
  const auto size = static_cast<double>(features.size());
  const auto needed = static_cast<std::int32_t>(std::floor(share_ * size * kFraction));
  const std::span<const Ranked> first = rarest(features, group);
  for (std::size_t place = 0; place < first.size(); ++place) {
    if (first[place].sets < 2) continue;
    const auto found = lists_.find(first[place].key);
    if (found == lists_.end()) continue;
    const List& list = found->second;
    const double left = size - static_cast<double>(place) + 1 / kFraction;
    for (std::size_t i = 0; i < list.entries.size(); ++i) {
      const Entry& entry = list.entries[i];
      if (entry.reach < needed) {
        if (i < list.sorted) i = list.sorted - 1;  // the other sorted entries have a smaller reach
        continue;
      }
      if (++looked_at > most) return false;
      if (met_[entry.number] == question_) continue;
      if (share_ * (size + static_cast<double>(sizes_[entry.number])) > left) continue;
      met_[entry.number] = question_;
      out.push_back(entry.number);
    }
  }
  return true;
}

void PrefixIndex::add_all(std::span<const std::uint64_t> features, std::uint64_t group,
                          std::uint32_t number) {
  for (const std::uint64_t feature : features) {
    const std::uint64_t key = feature ^ group;
    const std::uint8_t sets = counter(key).load(std::memory_order_relaxed);
    if (sets < 2 || sets == kMany) continue;
    List& list = lists_[key];
    if (list.entries.empty()) bytes_ += kListBytes;
    list.entries.push_back({0, number});
    bytes_ += sizeof(Entry);
  }
}

bool PrefixIndex::find_containing(std::span<const std::uint64_t> features, std::uint64_t group,
                                  std::size_t most, std::vector<std::uint32_t>& out) {
  std::size_t looked_at = 0;
  for (const Ranked& one : rarest(features, group)) {
    if (one.sets < 2) continue;  // no other set has it
    if (one.sets == kMany) return false;
    const auto found = lists_.find(one.key);
    if (found == lists_.end()) continue;
    for (const Entry& entry : found->second.entries) {
      if (++looked_at > most) return false;
      if (std::exchange(met_[entry.number], question_) != question_) out.push_back(entry.number);
    }
  }
  return true;
}

}  // namespace benzer
