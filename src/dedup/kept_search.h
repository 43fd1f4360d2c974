// Finds keepers among the documents that are kept so far, for the sets that too many others share
// something with: LargeBuckets by band keys, CommonAnchors by anchors.
#pragma once

#include <cstdint>
#include <span>

#include "benzer/similarity.h"

#include "base/big_list.h"
#include "base/disjoint_sets.h"
#include "dedup/neighbours.h"

namespace benzer {

class KeptSearch {
 public:
  virtual ~KeptSearch() = default;

  // Returns the most similar of the sets kept so far that share something very common with this one
  // and reach the threshold. `known` are its neighbours from elsewhere, which are not compared
  // again. A further call for the same set compares only the sets that were kept since.
  virtual MostSimilar best_kept(SetNumber set, std::span<const Neighbour> known) = 0;
  // Records that the set is kept.
  virtual void keep(SetNumber set) = 0;

  // Returns the number of pairs of a set and a kept one, once for each key that they share.
  virtual std::uint64_t compared() const noexcept = 0;
  // Returns how many pairs were compared exactly and are similar.
  virtual std::uint64_t confirmed() const noexcept = 0;
  // Returns how many sets were not compared with all that may be similar.
  virtual std::uint64_t cut_short() const noexcept = 0;
  // Returns the confirmed pairs, sorted, if the options collect pairs.
  virtual BigList<ScoredPair> take_similar() = 0;
};

}  // namespace benzer
