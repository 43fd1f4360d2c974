// Finds the documents that have a key, for one band of an index in memory.
//
// An ordered hash table (Amble and Knuth, The Computer Journal 17, 1974): open addressing in which
// a key's place grows with the key, so that the whole table is sorted, with gaps. A search ends at
// the first larger key, growing is one pass from front to back, and documents with the same key are
// adjacent. If too many documents have the same key, their numbers are kept in a separate list,
// since all entries after them would be pushed back otherwise.
//
// Keys are the upper halves of band keys. So among N documents a key also finds N / 2^32 strangers,
// which have another band key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/huge_pages.h"
#include "base/int128.h"

namespace benzer {

// Threads: any number of readers, or one writer.
// Memory: 8 bytes for each place, of which 68 to 85 in 100 are taken.
class BandTable {
 public:
  using Key = std::uint32_t;
  using Number = std::uint32_t;                                          // of a document
  static constexpr std::uint64_t kMostNumbers = std::uint64_t{1} << 31;  // they are below it

  BandTable();

  // The pair must not be there yet. On std::bad_alloc everything is as it was.
  void add(Key key, Number number);
  // Prepares room for `count` more entries, so that nobody waits for it while the table changes.
  struct Wider;
  std::optional<Wider> wider(std::size_t count) const;  // empty if there is room
  // Takes the result of wider() of this table, which has not changed since, and gives its former
  // entries in exchange.
  void take(Wider& wider) noexcept;
  // False if the pair is not there.
  bool remove(Key key, Number number) noexcept;

  // Calls visit(number) for the documents with the key, in ascending order.
  template <class Visit>
  void for_each(Key key, Visit visit) const {
    for (const Entry* at = &entries_[home(key)];; ++at) {
      if (key_of(*at) < key) continue;
      if (key_of(*at) > key || *at == kFree) return;
      if ((*at & kIsList) == 0) {
        visit(number_of(*at));
        continue;
      }
      for (const Number number : lists_[number_of(*at)]) visit(number);
      return;
    }
  }

  // Writes the smallest numbers of the key to `out`, as many as fit, and returns how many those
  // are.
  std::size_t first(Key key, std::span<Number> out) const {
    std::size_t count = 0;
    for (const Entry* at = &entries_[home(key)]; count < out.size(); ++at) {
      if (key_of(*at) < key) continue;
      if (key_of(*at) > key || *at == kFree) break;
      if ((*at & kIsList) == 0) {
        out[count++] = number_of(*at);
        continue;
      }
      const std::vector<Number>& list = lists_[number_of(*at)];
      for (auto number = list.begin(); number != list.end() && count < out.size(); ++number)
        out[count++] = *number;
      break;
    }
    return count;
  }

  // Load what for_each() and add() of this key look at. They read, since what is only asked for
  // need not come: with __builtin_prefetch(), just before or long before, both took as long as
  // without (AMD EPYC).
  void load_to_find(Key key) const noexcept { load(key, 2, kPlacesInLine / 2); }
  void load_to_add(Key key) const noexcept { load(key, 3, kPlacesInLine); }

  std::size_t size() const noexcept { return size_; }  // pairs
  std::size_t bytes() const noexcept;

  // The home of a key in a table with this many places, which are more than 2^32 if many documents
  // have many keys in one table.
  static std::size_t home(Key key, std::size_t places) noexcept {
    return static_cast<std::size_t>(static_cast<Uint128>(key) * places >> 32);
  }

  // Checks that every entry is in its place. For tests.
  bool is_sound() const;

 private:
  // The key in the upper half, the number in the lower: so the entries of the table are ascending.
  using Entry = std::uint64_t;
  using Entries = std::vector<Entry, HugePageAllocator<Entry>>;
  static constexpr Entry kFree = ~Entry{0};
  static constexpr Entry kIsList = kMostNumbers;
  static constexpr std::size_t kSideBySide = 8;  // entries of one key; more become a list
  static constexpr std::size_t kFirstPlaces = 64;
  // Extra places at the end, for entries that are pushed past the last place; more are added if
  // needed.
  static constexpr std::size_t kRunOut = 64;
  static constexpr std::size_t kPlacesInLine = 64 / sizeof(Entry);  // of the cache
  static_assert(3 * kPlacesInLine <= kRunOut);                      // load() stays inside

  static Key key_of(Entry entry) noexcept { return static_cast<Key>(entry >> 32); }
  static std::uint32_t number_of(Entry entry) noexcept {
    return static_cast<std::uint32_t>(entry & (kIsList - 1));
  }
  static Entry entry_of(Key key, std::uint64_t value) noexcept { return Entry{key} << 32 | value; }

  std::size_t home(Key key) const noexcept { return home(key, places_); }
  // Reads `count` places from the home of the key on, each `step` after the one before. A search
  // rarely goes beyond half a line of the cache, and an insertion rarely moves what is further away
  // than three.
  void load(Key key, std::size_t count, std::size_t step) const noexcept {
    const volatile Entry* const at = &entries_[home(key)];
    for (std::size_t i = 0; i < count; ++i) (void)at[i * step];
  }
  // Where the first entry of the key is, or would be.
  std::size_t find(Key key) const noexcept;
  std::size_t count_side_by_side(std::size_t begin, Key key) const noexcept;
  // Makes room for `count` calls of insert(), which then need no memory. Returns true if that moved
  // the entries.
  bool make_room(std::size_t count);
  // Inserts at this place or after it: the home of the key, or where its entries begin.
  void insert(Entry entry, std::size_t place) noexcept;
  void erase(std::size_t place) noexcept;
  std::size_t places_for(std::size_t count) const noexcept;
  Entries moved_to(std::size_t places) const;
  void to_list(std::size_t begin, Key key, Number added);
  void from_list(std::size_t place);

 public:
  struct Wider {
    Entries entries;
    std::size_t places = 0;
  };

 private:
  std::size_t places_ = kFirstPlaces;
  std::size_t taken_ = 0;  // places
  std::size_t size_ = 0;
  Entries entries_;  // `places_` of them, and extra ones, of which at least one is free
  std::vector<std::vector<Number>> lists_;
  std::vector<std::uint32_t> free_lists_;
};

}  // namespace benzer
