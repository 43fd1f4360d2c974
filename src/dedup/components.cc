#include "dedup/components.h"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include "base/families.h"
#include "dedup/neighbours.h"
#include "dedup/sketch_pass.h"

namespace benzer {
namespace {

// Joins the families of a large bucket.
class BucketJoiner {
 public:
  BucketJoiner(const SketchTable& table, const DistinctSets& sets, const SimilarityOptions& options,
               Verifier& verifier, Families& families, Sorter<VerifiedPair>& similar)
      : sets_(sets),
        options_(options),
        filter_(options),
        signatures_a_(table.cut_signatures()),
        signatures_b_(table.cut_signatures()),
        verifier_(verifier),
        families_(families),
        similar_(similar) {}

  std::uint64_t compared() const noexcept { return compared_; }

  void join(const Candidates::LargeBucket& bucket) {
    std::vector<std::vector<SetNumber>> groups;  // of the sets so far, by family
    for (const SetNumber set : bucket.sets) {
      for (const std::vector<SetNumber>& group : groups) {
        if (families_.root(group.front()) == families_.root(set)) continue;
        for (const SetNumber other : group)
          if (connects(other, set)) break;
      }
      std::vector<SetNumber> own{set};
      std::erase_if(groups, [&](const std::vector<SetNumber>& group) {
        if (families_.root(group.front()) != families_.root(set)) return false;
        own.insert(own.end(), group.begin(), group.end());
        return true;
      });
      groups.push_back(std::move(own));
    }
  }

 private:
  // Compares the two and joins their families if they are similar.
  bool connects(SetNumber x, SetNumber y) {
    const auto [a, b] = std::minmax(x, y);
    if (sets_.only_references[a] && sets_.only_references[b]) return false;
    if ((++compared_ & 1023) == 0) check_stop(options_);
    if (!filter_.passes(signatures_a_.one(sets_.document[a]), signatures_b_.one(sets_.document[b])))
      return false;
    const std::uint64_t pair = std::uint64_t{a} << 32 | b;
    if (rejected_.contains(pair)) return false;
    check_stop(options_);
    const std::optional<double> score = verifier_.compare(a, b, y);
    if (!score) {
      if (rejected_.size() < kRejected) rejected_.insert(pair);
      return false;
    }
    similar_.add({a, b, *score});
    families_.join(a, b);
    return true;
  }

  // Most pairs meet in several bands. So many are remembered as not similar.
  static constexpr std::size_t kRejected = std::size_t{1} << 18;

  const DistinctSets& sets_;
  const SimilarityOptions& options_;
  SignatureFilter filter_;
  ColumnReader<std::uint8_t> signatures_a_, signatures_b_;
  Verifier& verifier_;
  Families& families_;
  Sorter<VerifiedPair>& similar_;
  std::unordered_set<std::uint64_t> rejected_;
  std::uint64_t compared_ = 0;
};

// The similarity of every removed set with the first of its family.
std::vector<double> scores_with_keepers(const Corpus& corpus, const FeatureExtractor& extractor,
                                        const SketchTable& table, const DistinctSets& sets,
                                        Neighbours& neighbours, Families& families,
                                        const SimilarityOptions& options) {
  std::vector<double> scores(sets.size(), 1.0);
  std::vector<CandidatePair> unknown;
  for (SetNumber set = 0; set < sets.size(); ++set) {
    const SetNumber keeper = families.root(set);
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
  const std::vector<double> found = score_pairs(corpus, extractor, table, sets, unknown, options);
  for (std::size_t i = 0; i < unknown.size(); ++i) scores[unknown[i].b] = found[i];
  return scores;
}

// The most similar of those that the set was compared with, and of these the first. In large
// buckets sets that are connected already are not compared again, but the keeper always was.
Link best_link(const DistinctSets& sets, Neighbours& neighbours, SetNumber set, SetNumber keeper,
               double score_with_keeper) {
  Witness best;
  best.offer(keeper, score_with_keeper);
  for (const Neighbour& neighbour : neighbours.of(set)) best.offer(neighbour.set, neighbour.score);
  return {sets.document[best.set], best.score};
}

BigList<Neighbour> joined(const Neighbours& neighbours, const BigList<VerifiedPair>& pairs,
                          const Workspace& workspace) {
  Sorter<Neighbour> all(workspace, workspace.share(16));
  neighbours.all().for_each([&](const Neighbour& entry) { all.add(entry); });
  pairs.for_each([&](const VerifiedPair& pair) {
    all.add({pair.a, pair.b, pair.score});
    all.add({pair.b, pair.a, pair.score});
  });
  return all.finish();
}

}  // namespace

ChoiceResult choose_components(const Corpus& corpus, const FeatureExtractor& extractor,
                               const SketchTable& table, const DistinctSets& sets,
                               const Candidates& candidates, Neighbours& neighbours,
                               const SimilarityOptions& options, bool want_below) {
  const Workspace& workspace = table.workspace();
  ChoiceResult result;
  Families families(sets.size());
  neighbours.all().for_each([&](const Neighbour& pair) { families.join(pair.from, pair.set); });
  if (!candidates.large_buckets.empty()) {
    Verifier verifier(corpus, extractor, table, sets, cache_bytes(workspace), options.threshold,
                      want_below);
    Sorter<VerifiedPair> similar(workspace, workspace.share(32));
    Sorter<VerifiedPair> below(workspace, workspace.share(32));
    BucketJoiner joiner(table, sets, options, verifier, families, similar);
    for (const auto& bucket : candidates.large_buckets) {
      joiner.join(bucket);
      for (const VerifiedPair& pair : verifier.take_below()) below.add(pair);
    }
    result.compared = joiner.compared();
    result.similar = similar.finish();
    result.below = below.finish();
  }

  std::optional<Neighbours> with_large_buckets;
  if (!result.similar.empty())
    with_large_buckets.emplace(sets.size(), joined(neighbours, result.similar, workspace));
  Neighbours& links = with_large_buckets ? *with_large_buckets : neighbours;
  const std::vector<double> scores =
      scores_with_keepers(corpus, extractor, table, sets, links, families, options);
  links.rewind();
  for (const std::uint32_t document : sets.order) {
    const SetNumber set = sets.set_of[document];
    const SetNumber keeper = families.root(set);
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
                                   : best_link(sets, links, set, families.root(set), scores[set]));
  }
  return result;
}

}  // namespace benzer
