// Buckets that too many sets share, for leader clustering: they are worked through kept sets only.
// In a bucket of near-copies few are kept, and the rest costs one comparison each instead of one
// with every other.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dedup/candidates.h"
#include "dedup/neighbours.h"
#include "dedup/verify_pass.h"

namespace benzer {

class LargeBuckets {
 public:
  LargeBuckets(const Corpus& corpus, const FeatureExtractor& extractor, const SketchTable& table,
               const DistinctSets& sets, const Candidates& candidates,
               const SimilarityOptions& options, bool want_below);

  // The best of the sets kept so far that share a large bucket with this one and reach the
  // threshold; `known` are its neighbours from other buckets, which are not compared again. Asked
  // again for the same set, only what was kept since is compared.
  Witness best_kept(SetNumber set, std::span<const Neighbour> known);
  void keep(SetNumber set);

  std::uint64_t compared() const noexcept { return compared_; }  // put to the signature filter
  BigList<VerifiedPair> take_similar() { return similar_.finish(); }
  BigList<VerifiedPair> take_below() { return below_.finish(); }

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

  const DistinctSets& sets_;
  const SimilarityOptions& options_;
  const Workspace& workspace_;
  SignatureFilter filter_;
  ColumnReader<std::uint8_t> cut_signatures_;
  std::vector<Membership> memberships_;
  std::vector<bool> is_member_;
  std::vector<Witness> best_;  // of each set, at its first membership
  std::vector<Kept> kept_;     // of each bucket
  std::uint64_t kept_bytes_ = 0;
  std::uint64_t compared_ = 0;
  std::vector<SetNumber> passed_;
  std::optional<Verifier> verifier_;
  Sorter<VerifiedPair> similar_, below_;
};

}  // namespace benzer
