// Finds keepers for sets of which too many anchors are very common, because of what nearly all
// documents have: menus, licences. Such a set is compared with the kept sets that have enough of
// its anchors. Of many copies of one menu few are kept, so each costs few comparisons.
//
// If all are kept, the kept sets are found by rare features, which misses none, as soon as this
// pays; and after a further amount of work only the most promising ones are compared, and the
// documents for which this happens are counted, as in LargeBuckets (docs/decisions/0018).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "benzer/dedup.h"

#include "dedup/anchors.h"
#include "dedup/bucket_index.h"
#include "dedup/candidates.h"
#include "dedup/kept_search.h"
#include "dedup/verify_pass.h"

namespace benzer {

class CommonAnchors : public KeptSearch {
 public:
  CommonAnchors(const SketchedCorpus& sketched, const Candidates& candidates,
                const AnchorPlan& plan, const DedupOptions& options, BelowSample* below);

  MostSimilar best_kept(SetNumber set, std::span<const Neighbour> known) override;
  MostSimilar first_equal(SetNumber reference) override;
  void keep(SetNumber set) override;

 private:
  // That a set has an anchor, by its place in Candidates::common_anchors.
  struct Membership {
    SetNumber set;
    std::uint32_t anchor;
    friend auto operator<=>(const Membership&, const Membership&) = default;
  };
  // A set that is looked up.
  struct Asked {
    SetNumber set;
    std::uint32_t begin, end;  // its anchors in anchors_of_
    std::uint32_t needed;      // how many of them a kept set must have
    std::uint32_t seen = 0;    // the first `seen` kept sets were compared with it
    MostSimilar best = {};
  };
  // A kept set that may contain the one that is looked up, and how many of its anchors it has.
  struct Found {
    SetNumber set;
    std::uint32_t anchors;
  };

  Asked* find_asked(SetNumber set);
  std::span<const Membership> held_by(SetNumber set) const;
  bool ask_index(const Asked& asked);
  void scan(const Asked& asked);
  void find(Asked& asked);
  void compare(Asked& asked);
  std::vector<SetNumber> members() const;

  std::vector<Membership> held_;        // by set
  std::vector<Membership> anchors_of_;  // of the sets that are looked up, by set
  std::vector<Asked> asked_;            // by set
  std::vector<bool> is_member_;         // of each set: it has a common anchor
  // The kept sets that have an anchor, by their places in all_kept_, for each anchor.
  std::vector<std::vector<std::uint32_t>> kept_;
  std::vector<std::uint8_t> counts_;  // of each kept set: anchors of the set that is looked up
  std::vector<Found> found_;
  std::uint64_t reading_ = 0;  // the work of reading all members again
};

}  // namespace benzer
