// Finds keepers among the documents that are kept so far, for the sets that too many others share
// something with: LargeBuckets by band keys, CommonAnchors by anchors.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "benzer/dedup.h"

#include "base/big_list.h"
#include "dedup/bucket_index.h"
#include "dedup/neighbours.h"
#include "dedup/verify_pass.h"

namespace benzer {

class KeptSearch {
 public:
  virtual ~KeptSearch() = default;

  // Returns the most similar of the sets kept so far that share something very common with this one
  // and reach the threshold. `known` are its neighbours from elsewhere, which are not compared
  // again. A further call for the same set compares only the sets that were kept since.
  virtual MostSimilar best_kept(SetNumber set, std::span<const Neighbour> known) = 0;
  // Returns the first kept set that this one, which is a kept reference, could be removed for with
  // a score of 1, and that shares something very common with it. References are kept even then, so
  // that the keeper of a copy may be an earlier one with the same set and other repeats.
  virtual MostSimilar first_equal(SetNumber reference) = 0;
  // Records that the set is kept.
  virtual void keep(SetNumber set) = 0;

  // Returns the number of pairs of a set and a kept one, once for each key that they share.
  std::uint64_t compared() const noexcept { return compared_; }
  // Returns how many pairs were compared exactly and are similar.
  std::uint64_t confirmed() const noexcept { return confirmed_; }
  // Returns how many sets were not compared with all that may be similar.
  std::uint64_t cut_short() const noexcept { return cut_short_.size(); }
  // Returns the confirmed pairs, sorted, if the options collect pairs.
  BigList<ScoredPair> take_similar() { return similar_.finish(); }

 protected:
  KeptSearch(const SketchedCorpus& sketched, const DedupOptions& options, BelowSample* below);

  // Makes the verifier and the index, which are needed if any set is looked up.
  void start(const SketchedCorpus& sketched);
  // Fills the index with the sets that were kept so far. members: see BucketIndex::make().
  void make_index(std::vector<SetNumber> members);
  // Hands on what the verifier found to be below the threshold.
  void add_below();

  const DistinctSets& sets_;
  const DedupOptions& options_;
  const Workspace& workspace_;
  BelowSample* below_;  // may be null
  std::vector<SetNumber> all_kept_;
  std::uint64_t work_ = 0;  // in the unit of Effort
  std::uint64_t compared_ = 0, confirmed_ = 0;
  CutSets cut_short_;
  std::optional<Verifier> verifier_;
  std::optional<BucketIndex> index_;  // of all_kept_
  Sorter<ScoredPair> similar_;
};

}  // namespace benzer
