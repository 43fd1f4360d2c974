#include "passages/earlier_runs.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "benzer/runtime.h"

#include "base/secret.h"

namespace benzer {
namespace {

constexpr std::uint64_t kLeaf = std::numeric_limits<std::uint64_t>::max();
// Above the length of any run, so that keys of both sides of a pivot are in one order.
constexpr std::uint64_t kMiddle = std::uint64_t{1} << 62;

}  // namespace

// Returns whether all places have the sample before at the same distance, with the same words up to
// here. Then each run that they share begins there or before, and is found from there.
bool EarlierRunFinder::begins_earlier(std::span<const ShinglePlace> places) {
  const ShinglePlace& first = places.front();
  if (first.gap == 0 || first.gap >= window_) return false;
  for (const ShinglePlace& other : places.subspan(1))
    if (other.gap != first.gap ||
        comparer_.equal_up_to(first.place - first.gap, other.place - first.gap, first.gap) <
            first.gap)
      return false;
  return true;
}

void EarlierRunFinder::find(std::span<const ShinglePlace> places, std::vector<EarlierRun>& runs) {
  const auto is_other = [&](const ShinglePlace& place) {
    return place.owner != places.front().owner;
  };
  if (std::none_of(places.begin(), places.end(), is_other) || begins_earlier(places)) return;
  places_ = places;
  sort_by_right();
  longest_.assign(places.size(), {});
  child_.assign(places.size(), kNone);
  next_.assign(places.size(), kNone);
  std::vector<Class> classes = {{0, places.size()}}, next;
  find_longest(classes.front());
  // A run that begins a window before this place, or earlier, has another sample before it.
  for (std::uint64_t left = 0; left < window_ && !classes.empty(); ++left) {
    throw_if_stopped(stop_);
    next.clear();
    for (const Class& members : classes) {
      const std::span all = std::span(order_).subspan(members.begin, members.end - members.begin);
      const std::uint64_t word = word_before(all.front(), left + 1);
      const auto agrees = [&](Member member) { return word_before(member, left + 1) == word; };
      if (std::all_of(all.begin() + 1, all.end(), agrees)) {
        // All runs go on to the left.
        if (!have_one_gap(members, left + 1)) next.push_back(members);
        continue;
      }
      known_.clear();
      for (const Member member : all) known_.push_back({member, longest_[member]});
      for (const Member member : all) longest_[member] = {};
      const std::size_t first = next.size();
      split(members, left + 1, next);
      for (std::size_t i = first; i < next.size(); ++i) find_longest(next[i]);
      report(left, runs);
      next.erase(std::remove_if(next.begin() + static_cast<std::ptrdiff_t>(first), next.end(),
                                [&](const Class& part) { return have_one_gap(part, left + 1); }),
                 next.end());
    }
    classes.swap(next);
  }
}

// Returns whether all members have the sample before at one distance, of at most `most` words, in
// which they agree. Then what they share is found from there. In periodic texts that is so for
// nearly all.
bool EarlierRunFinder::have_one_gap(const Class& members, std::uint64_t most) const {
  const std::uint32_t gap = places_[order_[members.begin]].gap;
  return gap > 0 && gap <= most &&
         std::all_of(order_.begin() + static_cast<std::ptrdiff_t>(members.begin),
                     order_.begin() + static_cast<std::ptrdiff_t>(members.end),
                     [&](Member member) { return places_[member].gap == gap; });
}

// A member that shares less to the right as soon as one more word to the left must agree has a run
// that is maximal.
void EarlierRunFinder::report(std::uint64_t left, std::vector<EarlierRun>& runs) const {
  for (const auto& [member, longest] : known_) {
    const std::uint64_t words = left + longest.words;
    if (longest.words > longest_[member].words && words >= min_words_)
      runs.push_back(
          {places_[member].place - left, places_[longest.first].place - left, words, words, words});
  }
}

// Sorts the members by the texts to the right, and notes what each shares with the one before. It
// is quicksort, with the length that each shares with the pivot as the key: those that come before
// the pivot by rising length, then those after it by falling length. Members with the same length
// on the same side are sorted again among themselves.
void EarlierRunFinder::sort_by_right() {
  const std::size_t size = places_.size();
  order_.resize(size);
  std::iota(order_.begin(), order_.end(), Member{0});
  shared_.assign(size, 0);
  pieces_ = {{0, size, 0}};
  while (!pieces_.empty()) {
    throw_if_stopped(stop_);
    const Piece piece = pieces_.back();
    pieces_.pop_back();
    const std::size_t count = piece.end - piece.begin;
    // Not one that the authors of texts can foresee, or they could make the sort quadratic.
    const Member pivot = order_[piece.begin + secret_hash(piece.begin + piece.end) % count];
    keyed_.clear();
    for (std::size_t i = piece.begin; i < piece.end; ++i) {
      const Member member = order_[i];
      if (member == pivot) {
        keyed_.push_back({kMiddle, member});
        continue;
      }
      const WordPlace a = places_[pivot].place, b = places_[member].place;
      const std::uint64_t same = comparer_.equal(a, b, piece.shared);
      const bool is_before = comparer_.word(b + same) < comparer_.word(a + same);
      keyed_.push_back({is_before ? same : 2 * kMiddle - same, member});
    }
    std::sort(keyed_.begin(), keyed_.end(),
              [](const Keyed& x, const Keyed& y) { return x.key < y.key; });
    const auto shared_with_pivot = [&](std::size_t i) {
      const std::uint64_t key = keyed_[i].key;
      return key < kMiddle ? key : 2 * kMiddle - key;
    };
    for (std::size_t i = 0; i < count; ++i) {
      order_[piece.begin + i] = keyed_[i].member;
      if (i > 0)
        shared_[piece.begin + i] =
            keyed_[i].key <= kMiddle ? shared_with_pivot(i - 1) : shared_with_pivot(i);
    }
    for (std::size_t begin = 0, end = 0; begin < count; begin = end) {
      while (end < count && keyed_[end].key == keyed_[begin].key) ++end;
      if (end - begin > 1)
        pieces_.push_back({piece.begin + begin, piece.begin + end, shared_with_pivot(begin)});
    }
  }
}

// Melds two pairing heaps (Fredman, Sedgewick, Sleator and Tarjan 1986), and returns the top.
EarlierRunFinder::Member EarlierRunFinder::meld(Member a, Member b) {
  if (a == kNone) return b;
  if (b == kNone) return a;
  if (a < b) std::swap(a, b);
  next_[b] = child_[a];
  child_[a] = b;
  return a;
}

// Takes the top off a heap, and returns the next one.
EarlierRunFinder::Member EarlierRunFinder::pop(Member top) {
  heaps_.clear();
  for (Member child = child_[top]; child != kNone;) {
    const Member other = next_[child];
    const Member after = other == kNone ? kNone : next_[other];
    next_[child] = kNone;
    if (other != kNone) next_[other] = kNone;
    heaps_.push_back(meld(child, other));
    child = after;
  }
  child_[top] = kNone;
  Member rest = kNone;
  for (; !heaps_.empty(); heaps_.pop_back()) rest = meld(rest, heaps_.back());
  return rest;
}

// Moves all members of a heap to the list of a node.
void EarlierRunFinder::move_to_list(Member top, Node& node) {
  if (top == kNone) return;
  heaps_ = {top};
  while (!heaps_.empty()) {
    const Member member = heaps_.back();
    heaps_.pop_back();
    for (Member child = child_[member]; child != kNone; child = next_[child])
      heaps_.push_back(child);
    child_[member] = kNone;
    next_[member] = node.list;
    node.list = member;
  }
}

// Gives a node the members of another one, whose list is empty.
void EarlierRunFinder::join(Node& node, const Node& other) {
  for (const Member member : {other.first, other.second}) {
    if (member == kNone) continue;
    if (places_[member].owner == places_[node.first].owner) {
      node.first = std::min(node.first, member);
    } else if (member < node.first) {
      node.second = node.first;
      node.first = member;
    } else {
      node.second = std::min(node.second, member);  // kNone is after all members
    }
  }
  Member kept = kNone;
  for (const Member top : {node.top, other.top}) {
    if (top != kNone && places_[top].owner == places_[node.first].owner) {
      kept = meld(kept, top);
    } else {
      move_to_list(top, node);
    }
  }
  node.top = kept;
}

// Notes the run of a complete node for those of its members that have an earlier one in it, and
// takes them out.
void EarlierRunFinder::close(Node& node) {
  if (node.words == kLeaf) return;
  const std::uint32_t owner = places_[node.first].owner;
  for (Member member = node.list; member != kNone; member = next_[member])
    longest_[member] = {node.words, places_[member].owner != owner ? node.first : node.second};
  node.list = kNone;
  while (node.top != kNone && node.top > node.second) {
    longest_[node.top] = {node.words, node.second};
    node.top = pop(node.top);
  }
}

// Goes through the tree of a class from its leaves to its root. nodes_ has the nodes that are not
// complete yet, each inside the one before it.
void EarlierRunFinder::find_longest(const Class& members) {
  nodes_.clear();
  // Completes the nodes whose members share more words than this.
  const auto close_down_to = [&](std::uint64_t words) {
    while (nodes_.back().words > words) {
      close(nodes_.back());
      if (nodes_.size() == 1 || nodes_[nodes_.size() - 2].words < words) {
        nodes_.back().words = words;
        return;
      }
      join(nodes_[nodes_.size() - 2], nodes_.back());
      nodes_.pop_back();
    }
  };
  for (std::size_t i = members.begin; i < members.end; ++i) {
    const Member member = order_[i];
    if (i > members.begin) close_down_to(shared_[i]);
    child_[member] = next_[member] = kNone;
    nodes_.push_back({kLeaf, member, kNone, member, kNone});
  }
  close_down_to(0);
}

// Makes a class of those members that also agree in the word `left` words before. Members that
// agree with no other are in none.
void EarlierRunFinder::split(const Class& members, std::uint64_t left, std::vector<Class>& out) {
  const std::size_t count = members.end - members.begin;
  keyed_.clear();
  for (std::size_t i = 0; i < count; ++i)
    keyed_.push_back({word_before(order_[members.begin + i], left), static_cast<Member>(i)});
  std::sort(keyed_.begin(), keyed_.end(), [](const Keyed& x, const Keyed& y) {
    return x.key != y.key ? x.key < y.key : x.member < y.member;
  });
  class_of_.assign(count, kNone);
  std::size_t place = members.begin;
  std::uint32_t classes = 0;
  class_begins_.clear();
  for (std::size_t begin = 0, end = 0; begin < count; begin = end) {
    while (end < count && keyed_[end].key == keyed_[begin].key) ++end;
    if (end - begin < 2) continue;
    for (std::size_t i = begin; i < end; ++i) class_of_[keyed_[i].member] = classes;
    out.push_back({place, place + (end - begin)});
    class_begins_.push_back(place - members.begin);
    place += end - begin;
    ++classes;
  }
  // Those of a class stay in their order. What two of them share that now follow each other is the
  // least of what lies between: falling_ has the places from which on nothing is less.
  new_order_.resize(count);
  new_shared_.resize(count);
  last_of_class_.assign(classes, kNone);
  falling_.clear();
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t shared = shared_[members.begin + i];
    while (!falling_.empty() && shared_[members.begin + falling_.back()] >= shared)
      falling_.pop_back();
    falling_.push_back(i);
    const std::uint32_t own = class_of_[i];
    if (own == kNone) continue;
    const std::size_t to = class_begins_[own]++;
    new_order_[to] = order_[members.begin + i];
    if (last_of_class_[own] != kNone) {
      const auto least = std::upper_bound(falling_.begin(), falling_.end(), last_of_class_[own]);
      new_shared_[to] = shared_[members.begin + *least];
    }
    last_of_class_[own] = static_cast<std::uint32_t>(i);
  }
  const std::size_t kept = place - members.begin;
  std::copy_n(new_order_.begin(), kept,
              order_.begin() + static_cast<std::ptrdiff_t>(members.begin));
  std::copy_n(new_shared_.begin(), kept,
              shared_.begin() + static_cast<std::ptrdiff_t>(members.begin));
}

}  // namespace benzer
