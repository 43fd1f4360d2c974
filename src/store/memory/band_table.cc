#include "store/memory/band_table.h"

#include <algorithm>
#include <new>
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
  if (count == 1 && (entries_[first] & kIsList) != 0) {
    std::vector<Number>& list = lists_[number_of(entries_[first])];
    list.insert(std::lower_bound(list.begin(), list.end(), number), number);
  } else if (count < kSideBySide) {
    insert(entry_of(key, number), make_room(1) ? home(key) : first);
  } else {
    to_list(first, key, number);
  }
  ++size_;
}

bool BandTable::remove(Key key, Number number) noexcept {
  std::size_t place = find(key);
  if (entries_[place] == kFree || key_of(entries_[place]) != key) return false;
  if ((entries_[place] & kIsList) != 0) {
    std::vector<Number>& list = lists_[number_of(entries_[place])];
    const auto found = std::lower_bound(list.begin(), list.end(), number);
    if (found == list.end() || *found != number) return false;
    list.erase(found);
    --size_;
    // Not as soon as it could be one: a list whose size varies around the limit would be made again
    // and again.
    if (list.size() > kSideBySide / 2) return true;
    try {
      from_list(place);
    } catch (const std::bad_alloc&) {
      // It stays a list.
    }
    return true;
  }
  while (entries_[place] < entry_of(key, number)) ++place;
  if (entries_[place] != entry_of(key, number)) return false;
  erase(place);
  --size_;
  return true;
}

std::size_t BandTable::places_for(std::size_t count) const noexcept {
  std::size_t places = places_;
  while (20 * (taken_ + count) > 17 * places) places += places / 4;
  return places;
}

std::optional<BandTable::Wider> BandTable::wider(std::size_t count) const {
  const std::size_t places = places_for(count);
  if (places == places_) return std::nullopt;
  return Wider{moved_to(places), places};
}

void BandTable::take(Wider& wider) noexcept {
  std::swap(entries_, wider.entries);
  std::swap(places_, wider.places);
}

bool BandTable::make_room(std::size_t count) {
  std::optional<Wider> more = wider(count);
  const bool grows = more.has_value();
  if (grows) take(*more);
  // An insertion takes at most one more place at the end, and the last one must stay free: searches
  // end there.
  const auto is_taken = [](Entry entry) { return entry != kFree; };
  if (std::any_of(entries_.end() - static_cast<std::ptrdiff_t>(count) - 1, entries_.end(),
                  is_taken))
    entries_.resize(entries_.size() + kRunOut, kFree);
  return grows;
}

void BandTable::insert(Entry entry, std::size_t place) noexcept {
  while (entries_[place] < entry) ++place;
  for (; entry != kFree; ++place) std::swap(entry, entries_[place]);
  ++taken_;
}

void BandTable::erase(std::size_t place) noexcept {
  // Entries that were pushed away from their home move one place nearer to it.
  std::size_t next = place + 1;
  while (entries_[next] != kFree && home(key_of(entries_[next])) < next) {
    entries_[next - 1] = entries_[next];
    ++next;
  }
  entries_[next - 1] = kFree;
  --taken_;
}

BandTable::Entries BandTable::moved_to(std::size_t places) const {
  Entries wider(places + kRunOut, kFree);
  std::size_t next = 0;
  for (const Entry entry : entries_) {
    if (entry == kFree) continue;
    next = std::max(next, home(key_of(entry), places));
    if (next + 1 >= wider.size()) wider.resize(wider.size() + kRunOut, kFree);
    wider[next++] = entry;
  }
  return wider;
}

// Moves the adjacent entries of a key, and the added number, to a list.
void BandTable::to_list(std::size_t begin, Key key, Number added) {
  std::vector<Number> list;
  list.reserve(2 * kSideBySide);
  for (std::size_t place = begin; entries_[place] != kFree && key_of(entries_[place]) == key;
       ++place)
    list.push_back(number_of(entries_[place]));
  list.insert(std::lower_bound(list.begin(), list.end(), added), added);
  std::uint32_t number = 0;
  if (free_lists_.empty()) {
    number = static_cast<std::uint32_t>(lists_.size());
    lists_.push_back(std::move(list));
  } else {
    number = free_lists_.back();
    free_lists_.pop_back();
    lists_[number] = std::move(list);
  }
  // One entry replaces several, so there is room.
  for (std::size_t i = 0; i < kSideBySide; ++i) erase(find(key));
  insert(entry_of(key, kIsList | number), home(key));
}

void BandTable::from_list(std::size_t place) {
  const Key key = key_of(entries_[place]);
  const std::uint32_t list = number_of(entries_[place]);
  const std::size_t count = lists_[list].size();
  make_room(count);  // may move all entries
  free_lists_.push_back(list);
  const std::vector<Number> numbers = std::exchange(lists_[list], {});
  erase(find(key));
  for (const Number number : numbers) insert(entry_of(key, number), home(key));
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
