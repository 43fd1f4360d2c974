#include "dedup/leader.h"

#include <algorithm>
#include <memory>

#include "benzer/runtime.h"

#include "dedup/common_anchors.h"
#include "dedup/large_buckets.h"
#include "dedup/sketch_pass.h"

namespace benzer {
namespace {

std::unique_ptr<KeptSearch> make_kept_search(const SketchedCorpus& sketched,
                                             const Candidates& candidates,
                                             const DedupOptions& options, BelowSample* below) {
  if (candidates.anchors)
    return std::make_unique<CommonAnchors>(sketched, candidates, *candidates.anchors, options,
                                           below);
  return std::make_unique<LargeBuckets>(sketched, candidates, options, below);
}

}  // namespace

ChoiceResult choose_leaders(const SketchedCorpus& sketched, const Candidates& candidates,
                            Neighbours& neighbours, const DedupOptions& options,
                            BelowSample* below) {
  const SketchTable& table = sketched.table;
  const DistinctSets& sets = sketched.sets;
  ChoiceResult result;
  const std::unique_ptr<KeptSearch> elsewhere =
      make_kept_search(sketched, candidates, options, below);

  enum class State : std::uint8_t { kUndecided, kKept, kRemoved };
  std::vector<State> state(sets.size(), State::kUndecided);
  for (std::size_t place = 0; place < sets.order.size(); ++place) {
    if ((place & 1023) == 0) {
      throw_if_stopped(options.stop);
      if (options.progress) options.progress({"choose", place, sets.order.size()});
    }
    const std::uint32_t document = sets.order[place];
    const SetNumber set = sets.set_of[document];
    const bool is_reference = document < table.references;
    MostSimilar keeper;
    if (is_reference) {
      if (state[set] == State::kKept) continue;
    } else if (state[set] == State::kKept && sets.document[set] >= table.references) {
      keeper.offer(set, 1.0);
    } else {
      // A later copy of a removed set may have a better keeper than the first copy: one that was
      // kept in between.
      const std::span<const Neighbour> known = neighbours.of(set);
      if (state[set] == State::kKept) {
        keeper = elsewhere->first_equal(set);
        keeper.offer(set, 1.0);
      } else {
        keeper = elsewhere->best_kept(set, known);
      }
      for (const Neighbour& neighbour : known)
        if (state[neighbour.set] == State::kKept)
          if (const auto score = removal_score(sets, options, set, neighbour.set, neighbour.score))
            keeper.offer(neighbour.set, *score);
    }
    if (!keeper.is_known()) {
      state[set] = State::kKept;
      elsewhere->keep(set);
    } else {
      if (state[set] == State::kUndecided) state[set] = State::kRemoved;
      result.removed.push_back({document, sets.document[keeper.number], keeper.score});
    }
  }
  std::sort(result.removed.begin(), result.removed.end(),
            [](const Removal& x, const Removal& y) { return x.document < y.document; });
  result.compared = elsewhere->compared();
  result.cut_short = elsewhere->cut_short();
  result.confirmed = elsewhere->confirmed();
  result.similar = elsewhere->take_similar();
  return result;
}

}  // namespace benzer
