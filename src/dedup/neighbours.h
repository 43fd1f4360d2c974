// Lists for each set its neighbours: the sets with which it is a confirmed pair.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/big_list.h"
#include "base/disjoint_sets.h"
#include "dedup/distinct_sets.h"

namespace benzer {

// One of the two entries of a confirmed pair: `set` is a neighbour of `from`.
struct Neighbour {
  SetNumber from;
  SetNumber set;
  double score;
  friend auto operator<=>(const Neighbour& x, const Neighbour& y) {
    return x.from != y.from ? x.from <=> y.from : x.set <=> y.set;
  }
  friend bool operator==(const Neighbour& x, const Neighbour& y) {
    return x.from == y.from && x.set == y.set;
  }
};

// The neighbours of all sets. Threads: one.
class Neighbours {
 public:
  // sorted: by `from`, then `set`.
  Neighbours(SetNumber set_count, BigList<Neighbour> sorted) : sorted_(std::move(sorted)) {
    // Where the neighbours of every 16th set begin.
    starts_.reserve(set_count / kStep + 1);
    std::uint64_t place = 0;
    sorted_.for_each([&](const Neighbour& entry) {
      while (starts_.size() * kStep <= entry.from) starts_.push_back(place);
      ++place;
    });
  }

  // Returns the neighbours of a set, by set. Calls with ascending sets read the list from front to
  // back; a call with an earlier set is slower. Valid until the next call.
  std::span<const Neighbour> of(SetNumber set) {
    found_.clear();
    if (set / kStep >= starts_.size()) return found_;
    if (set < asked_) {
      BigList<Neighbour>::Cursor cursor(sorted_, starts_[set / kStep], kSmallBuffer);
      const Neighbour* next = cursor.next();
      collect(cursor, next, set);
      return found_;
    }
    if (!ahead_) {
      ahead_.emplace(sorted_);
      next_ = ahead_->next();
    }
    collect(*ahead_, next_, set);
    asked_ = set + 1;
    return found_;
  }

  // Prepares for calls of of() with ascending sets from the first one again.
  void rewind() {
    ahead_.reset();
    asked_ = 0;
  }

  const BigList<Neighbour>& all() const noexcept { return sorted_; }

 private:
  static constexpr SetNumber kStep = 16;
  static constexpr std::size_t kSmallBuffer = 2048;

  void collect(BigList<Neighbour>::Cursor& cursor, const Neighbour*& next, SetNumber set) {
    while (next && next->from < set) next = cursor.next();
    for (; next && next->from == set; next = cursor.next()) found_.push_back(*next);
  }

  BigList<Neighbour> sorted_;
  std::vector<std::uint64_t> starts_;
  std::optional<BigList<Neighbour>::Cursor> ahead_;
  const Neighbour* next_ = nullptr;  // of ahead_
  SetNumber asked_ = 0;              // ahead_ has passed the sets before this one
  std::vector<Neighbour> found_;
};

}  // namespace benzer
