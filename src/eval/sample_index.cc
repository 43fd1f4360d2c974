#include "eval/sample_index.h"

#include <algorithm>
#include <bit>
#include <string_view>
#include <unordered_map>

#include "base/weight.h"

namespace benzer {
namespace {

// Takes other bits than those that choose the place in the table.
std::size_t bit_of(std::uint64_t feature, std::size_t words) noexcept {
  return static_cast<std::size_t>(feature * process_secret().factor >> 16) & (words * 64 - 1);
}

}  // namespace

SampleIndex::SampleIndex(std::span<const std::span<const std::uint64_t>> sets, Weighting weighting)
    : sets_(sets.size()), mask_(weighting == Weighting::kNone ? ~std::uint64_t{0} : ~kWeightBits) {
  std::size_t total = 0;
  for (const auto& set : sets) total += set.size();
  const std::size_t places = std::bit_ceil(std::max<std::size_t>(2 * total, 64));
  table_.resize(places);
  numbers_.assign(places, kNone);
  seen_.resize(std::bit_ceil(std::max<std::size_t>(8 * total, 64)) / 64);
  place_of_ = SecretPlaces(places);
  for (const auto& set : sets) {
    for (const std::uint64_t whole : set) {
      const std::uint64_t feature = whole & mask_;
      const std::size_t bit = bit_of(feature, seen_.size());
      seen_[bit / 64] |= std::uint64_t{1} << (bit % 64);
      std::size_t place = place_of_(feature);
      while (numbers_[place] != kNone && table_[place] != feature)
        place = (place + 1) & (places - 1);
      if (numbers_[place] != kNone) continue;
      table_[place] = feature;
      numbers_[place] = features_++;
    }
  }
  if (weighting == Weighting::kNone) {
    build_lists(sets);
  } else {
    build_owners(sets);
  }
}

void SampleIndex::build_owners(std::span<const std::span<const std::uint64_t>> sets) {
  owned_from_.resize(features_ + 1);
  for (const auto& set : sets)
    for (const std::uint64_t feature : set) ++owned_from_[find(feature) + 1];
  for (std::size_t i = 1; i < owned_from_.size(); ++i) owned_from_[i] += owned_from_[i - 1];
  owners_.resize(owned_from_.back());
  std::vector<std::size_t> next(owned_from_.begin(), owned_from_.end() - 1);
  for (std::uint32_t s = 0; s < sets.size(); ++s)
    for (const std::uint64_t feature : sets[s])
      owners_[next[find(feature)]++] = {s, static_cast<std::uint32_t>(feature & kWeightBits)};
}

void SampleIndex::build_lists(std::span<const std::span<const std::uint64_t>> sets) {
  // The sets of every feature, ascending, one feature after the other.
  std::vector<std::size_t> begins(features_ + 1);
  for (const auto& set : sets)
    for (const std::uint64_t feature : set) ++begins[find(feature) + 1];
  for (std::size_t i = 1; i < begins.size(); ++i) begins[i] += begins[i - 1];
  std::vector<std::uint32_t> owners(begins.back());
  std::vector<std::size_t> next(begins.begin(), begins.end() - 1);
  for (std::uint32_t s = 0; s < sets.size(); ++s)
    for (const std::uint64_t feature : sets[s]) owners[next[find(feature)]++] = s;

  for (std::uint32_t s = 0; s < sets_; ++s) {
    begins_.push_back(s);
    members_.push_back(s);
  }
  std::unordered_map<std::string_view, std::uint32_t, SecretHash> known;  // views of `owners`
  list_of_.resize(features_);
  for (std::uint32_t f = 0; f < features_; ++f) {
    const std::uint32_t* first = owners.data() + begins[f];
    const std::size_t count = begins[f + 1] - begins[f];
    if (count == 1) {
      list_of_[f] = *first;
      continue;
    }
    const std::string_view bytes(reinterpret_cast<const char*>(first), count * sizeof *first);
    const auto [entry, is_new] =
        known.try_emplace(bytes, static_cast<std::uint32_t>(begins_.size()));
    list_of_[f] = entry->second;
    if (!is_new) continue;
    begins_.push_back(static_cast<std::uint32_t>(members_.size()));
    members_.insert(members_.end(), first, first + count);
  }
  begins_.push_back(static_cast<std::uint32_t>(members_.size()));
}

std::uint32_t SampleIndex::find(std::uint64_t feature) const noexcept {
  feature &= mask_;
  const std::size_t bit = bit_of(feature, seen_.size());
  if ((seen_[bit / 64] >> (bit % 64) & 1) == 0) return kNone;
  const std::size_t mask = table_.size() - 1;
  std::size_t place = place_of_(feature);
  while (numbers_[place] != kNone && table_[place] != feature) place = (place + 1) & mask;
  return numbers_[place];
}

std::span<const std::uint32_t> SampleIndex::list(std::uint32_t number) const noexcept {
  return {members_.data() + begins_[number], members_.data() + begins_[number + 1]};
}

SharedCounter::SharedCounter(const SampleIndex& index)
    : index_(index),
      round_of_(index.features_),
      in_list_(index.begins_.empty() ? 0 : index.begins_.size() - 1),
      shared_(index.sets()) {}

void SharedCounter::begin_round() {
  for (const std::uint32_t set : touched_) shared_[set] = 0;
  touched_.clear();
  lists_.clear();
  if (++round_ == 0) {
    std::fill(round_of_.begin(), round_of_.end(), 0);
    round_ = 1;
  }
}

std::span<const std::uint32_t> SharedCounter::count(std::span<const std::uint64_t> features) {
  begin_round();
  if (index_.owned_from_.empty()) {
    add_counts(features);
  } else {
    add_weights(features);
  }
  return touched_;
}

void SharedCounter::add_weights(std::span<const std::uint64_t> features) {
  for (const std::uint64_t feature : features) {
    const std::uint32_t number = index_.find(feature);
    if (number == SampleIndex::kNone || round_of_[number] == round_) continue;
    round_of_[number] = round_;
    const auto own = static_cast<std::uint32_t>(feature & kWeightBits);
    for (std::size_t i = index_.owned_from_[number]; i < index_.owned_from_[number + 1]; ++i) {
      const SampleIndex::Owner& owner = index_.owners_[i];
      if (shared_[owner.set] == 0) touched_.push_back(owner.set);
      shared_[owner.set] += weight_of_code(std::min(own, owner.weight));
    }
  }
}

void SharedCounter::add_counts(std::span<const std::uint64_t> features) {
  for (const std::uint64_t feature : features) {
    const std::uint32_t number = index_.find(feature);
    if (number == SampleIndex::kNone || round_of_[number] == round_) continue;
    round_of_[number] = round_;
    const std::uint32_t list = index_.list_of_[number];
    if (in_list_[list]++ == 0) lists_.push_back(list);
  }
  for (const std::uint32_t list : lists_) {
    for (const std::uint32_t set : index_.list(list)) {
      if (shared_[set] == 0) touched_.push_back(set);
      shared_[set] += in_list_[list];
    }
    in_list_[list] = 0;
  }
}

}  // namespace benzer
