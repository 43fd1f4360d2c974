// Buckets that too many sets share, for leader clustering: they are worked through kept sets only.
// In a bucket of near-copies few are kept, and the rest costs one comparison each instead of one
// with every other.
//
// In a bucket of sets that are all just below the threshold all are kept. So from a certain amount
// of work on the kept sets are found by their rarest features, which misses none; and where these
// do not tell sets apart, from a further amount on only the most promising ones are compared, and
// the documents that this is true of are counted (docs/decisions/0018).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dedup/bucket_index.h"
#include "dedup/candidates.h"
#include "dedup/neighbours.h"
#include "dedup/verify_pass.h"

namespace benzer {

class LargeBuckets {
 public:
  LargeBuckets(const SketchedCorpus& sketched, const Candidates& candidates,
               const DedupOptions& options, BelowSample* below);

  // The best of the sets kept so far that share a large bucket with this one and reach the
  // threshold; `known` are its neighbours from other buckets, which are not compared again. Asked
  // again for the same set, only what was kept since is compared.
  MostSimilar best_kept(SetNumber set, std::span<const Neighbour> known);
  void keep(SetNumber set);

  // Pairs of a set and a kept one, once for each bucket that they share.
  std::uint64_t compared() const noexcept { return compared_; }
  std::uint64_t confirmed() const noexcept { return confirmed_; }  // of these, the similar ones
  // Sets that were not compared with all that their signatures suggest.
  std::uint64_t cut_short() const noexcept { return cut_short_.size(); }
  // The confirmed pairs, if the options ask for pairs.
  BigList<ScoredPair> take_similar() { return similar_.finish(); }

 private:
  // A set in a bucket. Those of a set lie one behind the other.
  struct Membership {
    SetNumber set;
    std::uint32_t bucket;
    std::uint32_t seen = 0;  // so many of the bucket's kept sets were compared with this one
  };
  // The kept sets of a bucket. Their signatures lie one behind the other: most of them are only
  // looked at once for every other set, and far apart in memory each would cost ten times as much.
  struct Kept {
    std::vector<SetNumber> sets;
    std::vector<std::uint8_t> signatures;
  };

  std::span<Membership> memberships(SetNumber set);
  bool share_bucket(std::span<const Membership> x, std::span<const Membership> y) const noexcept;
  void scan(SetNumber set, std::span<const Membership> buckets);
  bool ask_index(SetNumber set, std::span<const Membership> buckets);
  void make_index();

  const DistinctSets& sets_;
  const DedupOptions& options_;
  const Workspace& workspace_;
  BelowSample* below_;  // may be null
  SignatureFilter filter_;
  ColumnReader<std::uint8_t> cut_signatures_, other_signatures_;
  ColumnReader<DocumentFacts> facts_;
  std::vector<Membership> memberships_;
  std::vector<bool> is_member_;
  std::vector<MostSimilar> best_;  // of each set, at its first membership
  std::vector<Kept> kept_;         // of each bucket
  std::vector<SetNumber> all_kept_;
  // Of each set, at its first membership: the size of all_kept_ when the set was last asked for.
  std::vector<std::uint32_t> asked_;
  std::uint64_t kept_bytes_ = 0;
  std::uint64_t work_ = 0;  // in the unit of Effort
  std::uint64_t compared_ = 0, confirmed_ = 0;
  CutSets cut_short_;
  std::vector<SetNumber> passed_;
  std::optional<Verifier> verifier_;
  std::optional<BucketIndex> index_;  // of all_kept_
  Sorter<ScoredPair> similar_;
};

}  // namespace benzer
