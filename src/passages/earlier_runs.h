// Finds the runs of words that places with the same shingle share with earlier texts.
//
// Of all places with one shingle, the texts to the right make a tree: a node is a run to the right
// that several places share. Nodes that are deeper have longer runs, and fewer places. So the
// longest run that a place shares with an earlier text is the first node above it that has one
// (as for the intervals of a suffix array: Abouelhoda, Kurtz and Ohlebusch 2004). Which is the
// earliest of these needs only the two earliest places of different owners in each node. This is
// done again for the places that also agree in the word before the shingle, in the two words before
// it, and so on: each step takes time in proportion to the places that are left. No pair of places
// is ever looked at, so a passage in a million texts costs a million, not its square.
//
// In most texts few places are left after a few words. In periodic ones (a column of zeros) nearly
// all are left for up to a window of steps: then the cost is places times window, and a logarithm
// more where the places do not all agree. They cannot be left out one by one: what a place shares
// with one whose sample before is elsewhere is found from here only.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "passages/kept_words.h"

namespace benzer {

// A place of a sampled shingle.
struct ShinglePlace {
  std::uint64_t shingle;
  WordPlace place;
  // Texts of one owner share nothing with each other: the number of the text or of its group.
  std::uint32_t owner;
  // How many words before it is the last sample before, if that was kept, too; else 0.
  std::uint32_t gap;

  friend bool operator<(const ShinglePlace& x, const ShinglePlace& y) noexcept {
    return x.shingle != y.shingle ? x.shingle < y.shingle : x.place < y.place;
  }
};

// A run of words that is also in an earlier text of another owner, or nearly.
struct EarlierRun {
  WordPlace place;
  WordPlace first;
  std::uint64_t words;        // from `place` on
  std::uint64_t first_words;  // from `first` on
  std::uint64_t equal;        // words of both that are equal: all of them, or fewer of near runs

  // Longer runs come first, so that a run that another one contains comes after it; then the one
  // whose first place is earlier.
  friend bool operator<(const EarlierRun& x, const EarlierRun& y) noexcept {
    if (x.place != y.place) return x.place < y.place;
    if (x.words != y.words) return x.words > y.words;
    if (x.first != y.first) return x.first < y.first;
    return x.equal != y.equal ? x.equal > y.equal : x.first_words < y.first_words;
  }
};

// Threads: one.
class EarlierRunFinder {
 public:
  // window: in shingles, of the sampler.
  EarlierRunFinder(const KeptWords& words, std::size_t window, std::uint32_t min_words,
                   const std::atomic<bool>* stop)
      : comparer_(words), window_(window), min_words_(min_words), stop_(stop) {}

  // Appends the maximal runs of at least min_words words that begin at most a window before one of
  // these places, which all have the same shingle and are in order. Every maximal run of a text is
  // found with its earliest place at the first sample that only its own words decide. What is
  // appended besides may be inside a longer run, or have a later place.
  void find(std::span<const ShinglePlace> places, std::vector<EarlierRun>& runs);

 private:
  using Member = std::uint32_t;  // the number of a place
  static constexpr Member kNone = ~Member{0};

  // Members that agree in some words to the left: [begin, end) of order_.
  struct Class {
    std::size_t begin, end;
  };
  // The longest run to the right that a member shares with an earlier text.
  struct Longest {
    std::uint64_t words = 0;  // 0: none
    Member first = kNone;     // the earliest that shares it
  };
  // A node of the tree.
  struct Node {
    std::uint64_t words;  // that its members share
    // The earliest member, and the earliest of those of other owners.
    Member first, second;
    // The members that have no earlier one of another owner in the nodes below and have the owner
    // of `first`, as a heap with the latest on top.
    Member top;
    // Those of other owners, of which one is earlier. A list: next_ has the one after each.
    Member list;
  };

  bool begins_earlier(std::span<const ShinglePlace> places);
  void sort_by_right();
  void find_longest(const Class& members);
  void join(Node& node, const Node& other);
  void close(Node& node);
  Member meld(Member a, Member b);
  Member pop(Member top);
  void move_to_list(Member top, Node& node);
  bool have_one_gap(const Class& members, std::uint64_t most) const;
  std::uint64_t word_before(Member member, std::uint64_t steps) {
    return comparer_.word(places_[member].place - steps);
  }
  void split(const Class& members, std::uint64_t left, std::vector<Class>& out);
  void report(std::uint64_t left, std::vector<EarlierRun>& runs) const;

  WordComparer comparer_;
  std::uint64_t window_;
  std::uint64_t min_words_;
  const std::atomic<bool>* stop_;

  std::span<const ShinglePlace> places_;
  // Members by what is to the right of them, class by class, and how many words each shares with
  // the one before it.
  std::vector<Member> order_;
  std::vector<std::uint64_t> shared_;
  std::vector<Longest> longest_;  // of each member, with the left side of its class
  // Of each member in a heap: its first child, and its next sibling. In a list: the next one.
  std::vector<Member> child_, next_;
  std::vector<Node> nodes_;  // from the root to the last leaf

  // Of a class that is split: what was known of its members.
  struct Known {
    Member member;
    Longest longest;
  };
  std::vector<Known> known_;

  // Working memory.
  struct Keyed {
    std::uint64_t key;
    Member member;
  };
  struct Piece {
    std::size_t begin, end;
    std::uint64_t shared;
  };
  std::vector<Keyed> keyed_;
  std::vector<Piece> pieces_;
  std::vector<Member> heaps_;
  std::vector<std::uint32_t> class_of_, last_of_class_;
  std::vector<std::size_t> class_begins_, falling_;
  std::vector<Member> new_order_;
  std::vector<std::uint64_t> new_shared_;
};

}  // namespace benzer
