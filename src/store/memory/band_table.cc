#include "store/memory/band_table.h"

#include <algorithm>
#include <utility>

namespace benzer {

BandTable::BandTable() : entries_(kFirstPlaces + kRunOut, kFree) {}

std::size_t BandTable::bytes() const noexcept {
  std::size_t sum = entries_.capacity() * sizeof(Entry) + free_lists_.capacity() * sizeof(Number) +
                    lists_.capacity() * sizeof(std::vector<Number>);
  for (const std::vector<Number>& list : lists_) sum += list.capacity() * sizeof(Number);
  return sum;
}

std::size_t BandTable::find(Key key) const noexcept {
  std::size_t place = home(key);
  while (entries_[place] < entry_of(key, 0)) ++place;
  return place;
}

std::size_t BandTable::count_side_by_side(std::size_t begin, Key key) const noexcept {
  std::size_t end = begin;
  while (entries_[end] != kFree && key_of(entries_[end]) == key) ++end;
  return end - begin;
}

void BandTable::add(Key key, Number number) {
  const std::size_t first = find(key);
  const std::size_t count = count_side_by_side(first, key);
  ++size_;
  if (count == 1 && (entries_[first] & kIsList) != 0) {
    std::vector<Number>& list = lists_[number_of(entries_[first])];
    list.insert(std::lower_bound(list.begin(), list.end(), number), number);
    return;
  }
  if (count < kSideBySide) {
    insert(entry_of(key, number));
    return;
  }
  to_list(first, key);
  std::vector<Number>& list = lists_[number_of(entries_[find(key)])];
  list.insert(std::lower_bound(list.begin(), list.end(), number), number);
}

bool BandTable::remove(Key key, Number number) {
  std::size_t place = find(key);
  if (entries_[place] == kFree || key_of(entries_[place]) != key) return false;
  if ((entries_[place] & kIsList) != 0) {
    std::vector<Number>& list = lists_[number_of(entries_[place])];
    const auto found = std::lower_bound(list.begin(), list.end(), number);
    if (found == list.end() || *found != number) return false;
    list.erase(found);
    --size_;
    // Not at once, or a list that changes around this size would be made again and again.
    if (list.size() <= kSideBySide / 2) from_list(place);
    return true;
  }
  while (entries_[place] < entry_of(key, number)) ++place;
  if (entries_[place] != entry_of(key, number)) return false;
  erase(place);
  --size_;
  return true;
}

void BandTable::insert(Entry entry) {
  if (20 * (taken_ + 1) > 17 * places_) grow();
  std::size_t place = home(key_of(entry));
  while (entries_[place] < entry) ++place;
  std::size_t free = place;
  while (entries_[free] != kFree) ++free;
  // The last one must stay free: searches end there.
  if (free + 1 == entries_.size()) entries_.resize(entries_.size() + kRunOut, kFree);
  std::copy_backward(entries_.begin() + static_cast<std::ptrdiff_t>(place),
                     entries_.begin() + static_cast<std::ptrdiff_t>(free),
                     entries_.begin() + static_cast<std::ptrdiff_t>(free) + 1);
  entries_[place] = entry;
  ++taken_;
}

void BandTable::erase(std::size_t place) noexcept {
  // What was pushed away from its home comes one place nearer.
  std::size_t next = place + 1;
  while (entries_[next] != kFree && home(key_of(entries_[next])) < next) {
    entries_[next - 1] = entries_[next];
    ++next;
  }
  entries_[next - 1] = kFree;
  --taken_;
}

void BandTable::grow() {
  const std::size_t places = places_ + places_ / 4;
  std::vector<Entry> wider(places + kRunOut, kFree);
  std::size_t next = 0;
  for (const Entry entry : entries_) {
    if (entry == kFree) continue;
    next = std::max(next, home(key_of(entry), places));
    if (next + 1 >= wider.size()) wider.resize(wider.size() + kRunOut, kFree);
    wider[next++] = entry;
  }
  entries_ = std::move(wider);
  places_ = places;
}

std::uint32_t BandTable::new_list() {
  if (free_lists_.empty()) {
    lists_.emplace_back();
    return static_cast<std::uint32_t>(lists_.size() - 1);
  }
  const std::uint32_t list = free_lists_.back();
  free_lists_.pop_back();
  return list;
}

void BandTable::to_list(std::size_t begin, Key key) {
  const std::uint32_t number = new_list();
  std::vector<Number>& list = lists_[number];
  while (entries_[begin] != kFree && key_of(entries_[begin]) == key) {
    list.push_back(number_of(entries_[begin]));
    erase(begin);
    begin = find(key);
  }
  insert(entry_of(key, kIsList | number));
}

void BandTable::from_list(std::size_t place) {
  const Key key = key_of(entries_[place]);
  const std::uint32_t list = number_of(entries_[place]);
  erase(place);
  const std::vector<Number> numbers = std::exchange(lists_[list], {});
  free_lists_.push_back(list);
  for (const Number number : numbers) insert(entry_of(key, number));
}

bool BandTable::is_sound() const {
  std::size_t taken = 0;
  std::size_t size = 0;
  const Entry* last = nullptr;
  for (std::size_t place = 0; place < entries_.size(); ++place) {
    const Entry& entry = entries_[place];
    if (entry == kFree) continue;
    ++taken;
    size += (entry & kIsList) != 0 ? lists_[number_of(entry)].size() : 1;
    if (last != nullptr && *last >= entry) return false;
    last = &entry;
    const std::size_t first = home(key_of(entry));
    if (place < first) return false;
    for (std::size_t i = first; i < place; ++i)
      if (entries_[i] == kFree) return false;
  }
  return taken == taken_ && size == size_ && entries_.back() == kFree;
}

}  // namespace benzer
