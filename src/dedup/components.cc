#include "dedup/components.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "dedup/families.h"
#include "dedup/neighbours.h"

namespace benzer {
namespace {

constexpr std::size_t kCacheBytes = std::size_t{128} << 20;

// Joins the families of a large bucket.
class BucketJoiner {
 public:
  BucketJoiner(const SketchTable& table, const DistinctSets& sets, const SimilarityOptions& options,
               Verifier& verifier, Families& families, ChoiceResult& result)
      : table_(table),
        sets_(sets),
        options_(options),
        filter_(table, sets, options),
        verifier_(verifier),
        families_(families),
        result_(result) {}

  void join(const Candidates::LargeBucket& bucket) {
    std::vector<std::vector<SetNumber>> groups;  // of the sets so far, by family
    for (const SetNumber set : bucket.sets) {
      for (const std::vector<SetNumber>& group : groups) {
        if (families_.root(group.front()) == families_.root(set)) continue;
        for (const SetNumber other : group)
          if (connects(other, set, bucket.band)) break;
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
  // Compares the two, a before b in keep order, and joins their families if they are similar.
  bool connects(SetNumber a, SetNumber b, std::size_t band) {
    const std::uint32_t document_a = sets_.document[a];
    const std::uint32_t document_b = sets_.document[b];
    if (sets_.only_references[a] && sets_.only_references[b]) return false;
    if (shares_earlier_band(table_, document_a, document_b, band)) return false;
    if ((++result_.compared & 1023) == 0) check_stop(options_);
    const auto [first, second] = std::minmax(a, b);
    if (!filter_.passes(first, second)) return false;
    check_stop(options_);
    const std::optional<double> score = verifier_.compare(first, second, b);
    if (!score) return false;
    result_.verified.pairs.push_back({first, second, *score});
    families_.join(first, second);
    return true;
  }

  const SketchTable& table_;
  const DistinctSets& sets_;
  const SimilarityOptions& options_;
  SignatureFilter filter_;
  Verifier& verifier_;
  Families& families_;
  ChoiceResult& result_;
};

// The similarity of every removed set with the first of its family.
std::vector<double> scores_with_keepers(const Corpus& corpus, const FeatureExtractor& extractor,
                                        const DistinctSets& sets, const Neighbours& neighbours,
                                        Families& families, const SimilarityOptions& options) {
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
  const std::vector<double> found = score_pairs(corpus, extractor, sets, unknown, options);
  for (std::size_t i = 0; i < unknown.size(); ++i) scores[unknown[i].b] = found[i];
  return scores;
}

Link best_link(const DistinctSets& sets, const Neighbours& neighbours, SetNumber set) {
  const Neighbour* best = nullptr;
  for (const Neighbour& neighbour : neighbours.of(set))
    if (best == nullptr || neighbour.score > best->score ||
        (neighbour.score == best->score && neighbour.set < best->set))
      best = &neighbour;
  return {sets.document[best->set], best->score};
}

}  // namespace

ChoiceResult choose_components(const Corpus& corpus, const FeatureExtractor& extractor,
                               const SketchTable& table, const DistinctSets& sets,
                               const Candidates& candidates,
                               const std::vector<VerifiedPair>& verified,
                               const SimilarityOptions& options, bool want_below) {
  ChoiceResult result;
  Families families(sets.size());
  for (const VerifiedPair& pair : verified) families.join(pair.a, pair.b);
  if (!candidates.large_buckets.empty()) {
    Verifier verifier(corpus, extractor, sets, kCacheBytes, options.threshold, want_below);
    BucketJoiner joiner(table, sets, options, verifier, families, result);
    for (const auto& bucket : candidates.large_buckets) joiner.join(bucket);
    result.verified.below = verifier.take_below();
  }

  std::vector<VerifiedPair> all = verified;
  all.insert(all.end(), result.verified.pairs.begin(), result.verified.pairs.end());
  const Neighbours neighbours(sets.size(), all);
  const std::vector<double> scores =
      scores_with_keepers(corpus, extractor, sets, neighbours, families, options);
  for (const std::uint32_t document : sets.order) {
    const SetNumber set = sets.set_of[document];
    const SetNumber keeper = families.root(set);
    if (document < table.references || document == sets.document[keeper]) continue;
    const bool is_copy = document != sets.document[set];
    result.removed.push_back(
        {document, sets.document[keeper], scores[set],
         is_copy ? Link{sets.document[set], 1.0} : best_link(sets, neighbours, set)});
  }
  std::sort(result.removed.begin(), result.removed.end(),
            [](const Removal& x, const Removal& y) { return x.document < y.document; });
  return result;
}

}  // namespace benzer
