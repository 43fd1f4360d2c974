#include "dedup/leader.h"

#include <algorithm>
#include <optional>

namespace benzer {
namespace {

constexpr std::size_t kCacheBytes = std::size_t{128} << 20;

struct Witness {
  SetNumber set = kNoSet;
  double score = 0;

  // Sets are numbered in keep order, so the smaller number is the earlier one.
  void offer(SetNumber candidate, double candidate_score) {
    if (set == kNoSet || candidate_score > score || (candidate_score == score && candidate < set)) {
      set = candidate;
      score = candidate_score;
    }
  }
};

// Large buckets are worked through kept sets only: in a bucket of near-copies few are kept, and the
// rest costs one comparison each instead of one with every other.
class LargeBuckets {
 public:
  LargeBuckets(const Corpus& corpus, const FeatureExtractor& extractor, const SketchTable& table,
               const DistinctSets& sets, const Candidates& candidates,
               const SimilarityOptions& options, bool want_below, ChoiceResult& result)
      : table_(table),
        sets_(sets),
        candidates_(candidates),
        options_(options),
        filter_(table, sets, options),
        result_(result),
        kept_(candidates.large_buckets.size()) {
    if (candidates.large_buckets.empty()) return;
    seen_.resize(sets.size());
    best_.resize(sets.size());
    verifier_.emplace(corpus, extractor, sets, kCacheBytes, options.threshold, want_below);
  }

  // The best of the sets kept so far that share a large bucket with this one and reach the
  // threshold. Asked again for the same set, only what was kept since is compared.
  Witness best_kept(SetNumber set) {
    if (candidates_.large_buckets.empty()) return {};
    Witness& witness = best_[set];
    const std::vector<std::uint32_t>& buckets = candidates_.buckets_of[set];
    std::vector<std::uint32_t>& seen = seen_[set];
    seen.resize(buckets.size());
    for (std::size_t i = 0; i < buckets.size(); ++i) {
      const Kept& kept_here = kept_[buckets[i]];
      const std::size_t band = candidates_.large_buckets[buckets[i]].band;
      const std::size_t count = kept_here.sets.size();
      result_.compared += count - seen[i];
      check_stop(options_);
      for (; (seen[i] = filter_.next(set, kept_here.signatures, seen[i])) < count; ++seen[i]) {
        const SetNumber kept = kept_here.sets[seen[i]];
        if (shares_earlier_band(table_, sets_.document[set], sets_.document[kept], band)) continue;
        check_stop(options_);
        const auto [a, b] = std::minmax(kept, set);
        const std::optional<double> score = verifier_->compare(a, b, set);
        if (!score) continue;
        result_.verified.pairs.push_back({a, b, *score});
        witness.offer(kept, *score);
      }
    }
    return witness;
  }

  void keep(SetNumber set) {
    if (candidates_.large_buckets.empty()) return;
    for (const std::uint32_t bucket : candidates_.buckets_of[set]) {
      kept_[bucket].sets.push_back(set);
      filter_.append(set, kept_[bucket].signatures);
    }
  }

  std::vector<VerifiedPair> take_below() {
    return verifier_ ? verifier_->take_below() : std::vector<VerifiedPair>();
  }

 private:
  // The kept sets of a bucket. Their signatures lie one behind the other: most of them are only
  // looked at once for every other set, and far apart in memory each would cost ten times as much.
  struct Kept {
    std::vector<SetNumber> sets;
    std::vector<std::uint8_t> signatures;
  };

  const SketchTable& table_;
  const DistinctSets& sets_;
  const Candidates& candidates_;
  const SimilarityOptions& options_;
  SignatureFilter filter_;
  ChoiceResult& result_;
  std::vector<Kept> kept_;  // of each large bucket
  std::vector<std::vector<std::uint32_t>>
      seen_;                   // of each set: how much of each bucket it has seen
  std::vector<Witness> best_;  // of each set: the best among what it has seen
  std::optional<Verifier> verifier_;
};

}  // namespace

ChoiceResult choose_leaders(const Corpus& corpus, const FeatureExtractor& extractor,
                            const SketchTable& table, const DistinctSets& sets,
                            const Candidates& candidates, const Neighbours& neighbours,
                            const SimilarityOptions& options, bool want_below) {
  ChoiceResult result;
  LargeBuckets large_buckets(corpus, extractor, table, sets, candidates, options, want_below,
                             result);

  enum class State : std::uint8_t { kUndecided, kKept, kRemoved };
  std::vector<State> state(sets.size(), State::kUndecided);
  for (std::size_t place = 0; place < sets.order.size(); ++place) {
    if ((place & 1023) == 0) {
      check_stop(options);
      if (options.progress) options.progress({"choose", place, sets.order.size()});
    }
    const std::uint32_t document = sets.order[place];
    const SetNumber set = sets.set_of[document];
    const bool is_reference = document < table.references;
    Witness witness;
    if (is_reference) {
      if (state[set] == State::kKept) continue;
    } else if (state[set] == State::kKept) {
      witness.offer(set, 1.0);
    } else {
      // A further copy of a removed set may have a better witness than the first copy had: one that
      // was kept in between.
      witness = large_buckets.best_kept(set);
      for (const Neighbour& neighbour : neighbours.of(set))
        if (state[neighbour.set] == State::kKept) witness.offer(neighbour.set, neighbour.score);
    }
    if (witness.set == kNoSet) {
      state[set] = State::kKept;
      large_buckets.keep(set);
    } else {
      if (state[set] == State::kUndecided) state[set] = State::kRemoved;
      result.removed.push_back({document, sets.document[witness.set], witness.score, std::nullopt});
    }
  }
  std::sort(result.removed.begin(), result.removed.end(),
            [](const Removal& x, const Removal& y) { return x.document < y.document; });
  result.verified.below = large_buckets.take_below();
  return result;
}

}  // namespace benzer
