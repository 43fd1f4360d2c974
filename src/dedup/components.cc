#include "dedup/components.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "benzer/runtime.h"

#include "base/disjoint_sets.h"
#include "dedup/below_sample.h"
#include "dedup/bucket_index.h"
#include "dedup/neighbours.h"
#include "dedup/sketch_pass.h"

namespace benzer {
namespace {

// Joins the sets of large buckets that similar pairs connect.
class BucketJoiner {
 public:
  BucketJoiner(const SketchedCorpus& sketched, const Candidates& candidates,
               const DedupOptions& options, BelowSample* below, DisjointSets& connected,
               Sorter<ScoredPair>& similar)
      : sets_(sketched.sets),
        candidates_(candidates),
        options_(options),
        below_(below),
        filter_(options),
        signatures_a_(sketched.table.cut_signatures()),
        signatures_b_(sketched.table.cut_signatures()),
        facts_(sketched.table.facts()),
        verifier_(sketched, cache_bytes(sketched.table.workspace()), options, below != nullptr),
        index_(sketched, options, verifier_),
        connected_(connected),
        similar_(similar),
        bucket_of_(sets_.size()),
        suggested_for_(sets_.size(), kNoSet) {}

  std::uint64_t compared() const noexcept { return compared_; }
  std::uint64_t cut_short() const noexcept { return cut_short_.size(); }

  void join_all() {
    for (const auto& bucket : candidates_.large_buckets) {
      join(bucket);
      take_below();
    }
  }

  // Compares the sets that join_all() did not compare because they were connected already, to find
  // the most similar pairs of each component. It takes sets in keep order, as many as
  // Effort::connected allows. known: pairs of other buckets.
  void compare_connected(Neighbours& known) {
    std::vector<std::pair<SetNumber, std::uint32_t>> members;  // with their buckets
    for (std::uint32_t bucket = 0; bucket < candidates_.large_buckets.size(); ++bucket)
      for (const SetNumber set : candidates_.large_buckets[bucket].sets)
        members.emplace_back(set, bucket);
    std::sort(members.begin(), members.end());
    const std::uint64_t most = work_ + options_.effort.connected;
    known.rewind();
    for (auto member = members.begin(); member != members.end() && work_ <= most;) {
      const SetNumber set = member->first;
      suggested_.clear();
      for (; member != members.end() && member->first == set; ++member)
        collect_connected(set, candidates_.large_buckets[member->second].sets);
      std::sort(suggested_.begin(), suggested_.end());
      suggested_.erase(std::unique(suggested_.begin(), suggested_.end()), suggested_.end());
      const std::span<const Neighbour> others = known.of(set);
      auto next = others.begin();
      for (const SetNumber other : suggested_) {
        while (next != others.end() && next->set < other) ++next;
        if (next != others.end() && next->set == other) continue;
        verify(other, set);
      }
      take_below();
    }
    known.rewind();
  }

 private:
  using Group = std::vector<SetNumber>;  // of one component

  void take_below() {
    for (const ScoredPair& pair : verifier_.take_below())
      if (below_) below_->add(pair);
  }

  // Finds the sets of the bucket before this one that are in its component and whose signatures
  // pass the filter. Several buckets may give the same set.
  void collect_connected(SetNumber set, const std::vector<SetNumber>& bucket) {
    const SetNumber root = connected_.root(set);
    const std::uint8_t* signature = signatures_a_.one(sets_.document[set]);
    for (const SetNumber other : bucket) {
      if (other == set) break;
      work_ += 1 + filter_.slots() / 64;
      if (connected_.root(other) != root || !may_connect(other, set)) continue;
      if (filter_.passes(signature, signatures_b_.one(sets_.document[other])))
        suggested_.push_back(other);
    }
  }

  bool may_connect(SetNumber a, SetNumber b) const {
    return !sets_.only_references[a] || !sets_.only_references[b];
  }

  void join(const Candidates::LargeBucket& bucket) {
    ++bucket_;
    std::size_t made = 0;
    std::map<std::size_t, Group> groups;                  // in the order in which they were made
    std::unordered_map<SetNumber, std::size_t> group_of;  // by the root of the component
    for (const SetNumber set : bucket.sets) {
      std::vector<std::size_t> joined;
      const auto own_group = group_of.find(connected_.root(set));
      if (own_group != group_of.end()) joined.push_back(own_group->second);
      const auto visit = [&](std::size_t place, const Group& group, bool is_suggested) {
        if (connected_.root(group.front()) == connected_.root(set)) return;
        const SetNumber root = connected_.root(group.front());
        for (const SetNumber other : group) {
          if (is_suggested && suggested_for_[other] != set) continue;
          if (!connects(other, set)) continue;
          joined.push_back(place);
          group_of.erase(root);
          break;
        }
      };
      if (own_group != group_of.end()) group_of.erase(own_group);
      if (suggest(set, bucket)) {
        std::vector<std::size_t> places;
        for (const SetNumber other : suggested_) {
          const auto found = group_of.find(connected_.root(other));
          if (found != group_of.end()) places.push_back(found->second);
        }
        std::sort(places.begin(), places.end());
        places.erase(std::unique(places.begin(), places.end()), places.end());
        for (const std::size_t place : places) visit(place, groups[place], true);
      } else {
        for (const auto& [place, group] : groups) visit(place, group, false);
      }
      std::sort(joined.begin(), joined.end());
      Group own{set};
      for (const std::size_t place : joined) {
        own.insert(own.end(), groups[place].begin(), groups[place].end());
        groups.erase(place);
      }
      group_of[connected_.root(set)] = made;
      groups[made++] = std::move(own);
      bucket_of_[set] = bucket_;
      enter(set);
    }
  }

  // Adds the set to the index, and makes the index if it is due.
  void enter(SetNumber set) {
    if (is_entered_.empty()) is_entered_.resize(sets_.size());
    if (!is_entered_[set]) {
      is_entered_[set] = true;
      entered_.push_back(set);
      index_.add(set);
    }
    if (!index_.is_due(work_)) return;
    std::vector<SetNumber> members;
    for (const auto& bucket : candidates_.large_buckets)
      members.insert(members.end(), bucket.sets.begin(), bucket.sets.end());
    std::sort(members.begin(), members.end());
    members.erase(std::unique(members.begin(), members.end()), members.end());
    index_.make(std::move(members));
    for (const SetNumber earlier : entered_) index_.add(earlier);
    if (below_) below_->mark_incomplete();
  }

  // Finds the sets of this bucket so far that need to be compared with the set. Returns false if
  // that is all of them.
  bool suggest(SetNumber set, const Candidates::LargeBucket& bucket) {
    suggested_.clear();
    if (const std::vector<std::uint32_t>* found = index_.find(set)) {
      for (const std::uint32_t number : *found)
        if (bucket_of_[entered_[number]] == bucket_) suggested_.push_back(entered_[number]);
    } else if (work_ > options_.effort.whole) {
      suggest_by_signatures(set, bucket);
    } else {
      return false;
    }
    if (work_ > options_.effort.whole && suggested_.size() > options_.effort.candidates) {
      keep_most_promising(filter_, signatures_a_.one(sets_.document[set]), signatures_b_, sets_,
                          options_.effort.candidates, suggested_);
      cut_short_.add(set, sets_.size());
    }
    for (const SetNumber other : suggested_) suggested_for_[other] = set;
    return true;
  }

  void suggest_by_signatures(SetNumber set, const Candidates::LargeBucket& bucket) {
    // The sets of the bucket before this one, in keep order.
    const auto end = std::lower_bound(bucket.sets.begin(), bucket.sets.end(), set);
    const auto count = static_cast<std::size_t>(end - bucket.sets.begin());
    const std::uint8_t* signature = signatures_a_.one(sets_.document[set]);
    for (auto other = end - static_cast<std::ptrdiff_t>(std::min(count, kMostSignatures));
         other != end; ++other)
      if (connected_.root(*other) != connected_.root(set) &&
          filter_.passes(signature, signatures_b_.one(sets_.document[*other])))
        suggested_.push_back(*other);
    if (count > kMostSignatures) cut_short_.add(set, sets_.size());
  }

  // Compares two sets, a < b, and joins their components if they are similar.
  bool connects(SetNumber a, SetNumber b) {
    if (!may_connect(a, b)) return false;
    if ((++compared_ & 1023) == 0) throw_if_stopped(options_.stop);
    work_ += 1 + filter_.slots() / 64;
    if (!filter_.passes(signatures_a_.one(sets_.document[a]), signatures_b_.one(sets_.document[b])))
      return false;
    if (!verify(a, b)) return false;
    connected_.join(a, b);
    return true;
  }

  // Returns true if two sets, a < b, are similar. Successive calls with the same b load it once.
  bool verify(SetNumber a, SetNumber b) {
    const std::uint64_t pair = std::uint64_t{a} << 32 | b;
    if (rejected_.contains(pair)) return false;
    throw_if_stopped(options_.stop);
    work_ += 64 + facts_.one(sets_.document[b])->features;
    const std::optional<double> score = verifier_.compare(a, b, b);
    if (!score) {
      if (rejected_.size() < kRejected) rejected_.insert(pair);
      return false;
    }
    similar_.add({a, b, *score});
    return true;
  }

  // Most pairs share several bands. So this many pairs are remembered as not similar.
  static constexpr std::size_t kRejected = std::size_t{1} << 18;

  const DistinctSets& sets_;
  const Candidates& candidates_;
  const DedupOptions& options_;
  BelowSample* below_;  // may be null
  SignatureFilter filter_;
  ColumnReader<std::uint8_t> signatures_a_, signatures_b_;
  ColumnReader<DocumentFacts> facts_;
  Verifier verifier_;
  BucketIndex index_;  // of entered_
  DisjointSets& connected_;
  Sorter<ScoredPair>& similar_;
  std::unordered_set<std::uint64_t> rejected_;
  std::vector<SetNumber> entered_;
  std::vector<bool> is_entered_;
  std::uint32_t bucket_ = 0;
  std::vector<std::uint32_t> bucket_of_;  // of each set the last bucket that had it, from 1
  std::vector<SetNumber> suggested_;
  std::vector<SetNumber> suggested_for_;  // of each set the last set that it was suggested for
  std::uint64_t work_ = 0;                // in the unit of Effort
  std::uint64_t compared_ = 0;
  CutSets cut_short_;
};

// Returns the similarity of every set with the first set of its component.
std::vector<double> scores_with_keepers(const SketchedCorpus& sketched, Neighbours& neighbours,
                                        DisjointSets& connected, const SimilarityOptions& options) {
  const DistinctSets& sets = sketched.sets;
  std::vector<double> scores(sets.size(), 1.0);
  std::vector<CandidatePair> unknown;
  for (SetNumber set = 0; set < sets.size(); ++set) {
    const SetNumber keeper = connected.root(set);
    if (keeper == set) continue;
    const auto list = neighbours.of(set);
    const auto known =
        std::find_if(list.begin(), list.end(), [&](const Neighbour& n) { return n.set == keeper; });
    if (known != list.end())
      scores[set] = known->score;
    else
      unknown.push_back({keeper, set});
  }
  std::sort(unknown.begin(), unknown.end());
  const std::vector<double> found = score_pairs(sketched, unknown, options);
  for (std::size_t i = 0; i < unknown.size(); ++i) scores[unknown[i].b] = found[i];
  return scores;
}

// Returns the link of a set: the most similar of the sets that it was compared with, which include
// the keeper, and of equally similar ones the first.
Link best_link(const DistinctSets& sets, Neighbours& neighbours, SetNumber set, SetNumber keeper,
               double score_with_keeper) {
  MostSimilar best;
  best.offer(keeper, score_with_keeper);
  for (const Neighbour& neighbour : neighbours.of(set)) best.offer(neighbour.set, neighbour.score);
  return {sets.document[best.number], best.score};
}

BigList<Neighbour> joined(const Neighbours& neighbours, const BigList<ScoredPair>& pairs,
                          const Workspace& workspace) {
  Sorter<Neighbour> all(workspace, workspace.share(16));
  neighbours.all().for_each([&](const Neighbour& entry) { all.add(entry); });
  pairs.for_each([&](const ScoredPair& pair) {
    all.add({pair.a, pair.b, pair.score});
    all.add({pair.b, pair.a, pair.score});
  });
  return all.finish();
}

}  // namespace

ChoiceResult choose_components(const SketchedCorpus& sketched, const Candidates& candidates,
                               Neighbours& neighbours, const DedupOptions& options,
                               BelowSample* below) {
  const SketchTable& table = sketched.table;
  const DistinctSets& sets = sketched.sets;
  const Workspace& workspace = table.workspace();
  ChoiceResult result;
  DisjointSets connected(sets.size());
  neighbours.all().for_each([&](const Neighbour& pair) { connected.join(pair.from, pair.set); });
  if (!candidates.large_buckets.empty()) {
    Sorter<ScoredPair> similar(workspace, workspace.share(32, kMostListBytes),
                               Sorter<ScoredPair>::kDrop);
    BucketJoiner joiner(sketched, candidates, options, below, connected, similar);
    joiner.join_all();
    joiner.compare_connected(neighbours);
    result.compared = joiner.compared();
    result.cut_short = joiner.cut_short();
    result.similar = similar.finish();
    result.confirmed = result.similar.size();
  }

  std::optional<Neighbours> with_large_buckets;
  if (!result.similar.empty())
    with_large_buckets.emplace(sets.size(), joined(neighbours, result.similar, workspace));
  Neighbours& links = with_large_buckets ? *with_large_buckets : neighbours;
  const std::vector<double> scores = scores_with_keepers(sketched, links, connected, options);
  links.rewind();
  for (const std::uint32_t document : sets.order) {
    const SetNumber set = sets.set_of[document];
    const SetNumber keeper = connected.root(set);
    if (document < table.references || document == sets.document[keeper]) continue;
    result.removed.push_back({document, sets.document[keeper], scores[set]});
  }
  std::sort(result.removed.begin(), result.removed.end(),
            [](const Removal& x, const Removal& y) { return x.document < y.document; });
  result.links.reserve(result.removed.size());
  for (const Removal& removal : result.removed) {
    const SetNumber set = sets.set_of[removal.document];
    const bool is_copy = removal.document != sets.document[set];
    result.links.push_back(is_copy ? Link{sets.document[set], 1.0}
                                   : best_link(sets, links, set, connected.root(set), scores[set]));
  }
  return result;
}

}  // namespace benzer
