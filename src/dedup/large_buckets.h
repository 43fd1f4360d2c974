// Finds keepers in buckets that very many sets share, for leader clustering. A set is compared with
// the kept sets of such a bucket only. In a bucket of near-copies few are kept, so each other set
// costs few comparisons instead of one with every other set.
//
// In a bucket of sets that are all just below the threshold all are kept. So after a certain amount
// of work the kept sets are found by their rarest features, which misses none. If these do not tell
// sets apart, after a further amount only the most promising ones are compared, and the documents
// for which this happens are counted (docs/decisions/0018).
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "dedup/bucket_index.h"
#include "dedup/candidates.h"
#include "dedup/kept_search.h"
#include "dedup/neighbours.h"
#include "dedup/verify_pass.h"

namespace benzer {

class LargeBuckets : public KeptSearch {
 public:
  LargeBuckets(const SketchedCorpus& sketched, const Candidates& candidates,
               const DedupOptions& options, BelowSample* below);

  MostSimilar best_kept(SetNumber set, std::span<const Neighbour> known) override;
  MostSimilar first_equal(SetNumber reference) override;
  void keep(SetNumber set) override;

 private:
  // That a set is in a bucket. The memberships of a set are contiguous in memberships_.
  struct Membership {
    SetNumber set;
    std::uint32_t bucket;
    std::uint32_t seen = 0;  // the first `seen` kept sets of the bucket were compared with this one
  };
  // The kept sets of a bucket. Their signatures are contiguous, since every other set is compared
  // with all of them: if they were scattered in memory, each would cost ten times as much.
  struct Kept {
    std::vector<SetNumber> sets;
    std::vector<std::uint8_t> signatures;
  };

  std::span<Membership> memberships(SetNumber set);
  bool share_bucket(std::span<const Membership> x, std::span<const Membership> y) const noexcept;
  void scan(SetNumber set, std::span<const Membership> buckets);
  bool ask_index(SetNumber set, std::span<const Membership> buckets);
  std::vector<SetNumber> members() const;
  std::uint64_t hash_of_signature(SetNumber set);

  SignatureFilter filter_;
  ColumnReader<std::uint8_t> cut_signatures_, other_signatures_;
  ColumnReader<DocumentFacts> facts_;
  std::vector<Membership> memberships_;
  std::vector<bool> is_member_;
  std::vector<MostSimilar> best_;   // of each set, at the place of its first membership
  std::vector<Kept> kept_;          // of each bucket
  const std::uint32_t references_;  // this many documents, the first ones
  // The kept ones of them, by hashes of their signatures.
  std::unordered_map<std::uint64_t, std::vector<SetNumber>> kept_references_;
  // For each set, at the place of its first membership: the size of all_kept_ at the end of the
  // last best_kept() for it.
  std::vector<std::uint32_t> asked_;
  std::uint64_t kept_bytes_ = 0;
  std::vector<SetNumber> passed_;
};

}  // namespace benzer
