// The order of the stages, and nothing else.
#include "benzer/dedup.h"

#include <algorithm>

#include "benzer/error.h"
#include "benzer/planner.h"

#include "base/parallel.h"
#include "dedup/candidates.h"
#include "dedup/distinct_sets.h"
#include "dedup/leader.h"
#include "dedup/neighbours.h"
#include "dedup/sketch_pass.h"
#include "dedup/verify_pass.h"

namespace benzer {
namespace {

// Buckets with more sets than this are worked through kept documents only. Below it, comparing all
// pairs in parallel is cheaper than waiting for the sequential pass.
constexpr std::size_t kLargeBucket = 64;

[[noreturn]] void refuse(const std::string& sentence) {
  throw Error(ErrorCode::kInvalidArgument, sentence);
}

// Checks the options, fills in the bands and says what they promise.
SimilarityCounts start(SimilarityOptions& options) {
  const FeatureSpec& features = options.config.features;
  if (options.short_policy != ShortPolicy::kExact && features.kind != FeatureSpec::Kind::kWords &&
      features.kind != FeatureSpec::Kind::kChars)
    refuse("a policy for short texts goes with text features, not with " + features.str());
  const PlanRequest request{options.threshold.value(), options.recall, options.config.sketch.slots};
  if (!options.config.banding) options.config.banding = plan(request).banding;
  const Banding& banding = *options.config.banding;
  if (banding.bands < 1 || banding.rows < 1)
    refuse("bands " + banding.str() + " are not allowed: both numbers must be at least 1");
  if (banding.bands > request.slots || banding.rows > request.slots ||
      banding.slots() > request.slots)
    refuse("bands " + banding.str() + " use more slots than the sketch " +
           options.config.sketch.str() + " has: use fewer bands or rows, or a larger sketch");
  if (!(options.recall > 0 && options.recall < 1)) refuse("the recall must be above 0 and below 1");
  SimilarityCounts counts;
  counts.config = options.config;
  counts.recall_at_threshold =
      banding.candidate_probability(request.threshold) -
      signature_cut(request.threshold, request.slots, allowed_loss(options.recall)).loss;
  return counts;
}

void count_documents(const SketchTable& table, const DistinctSets& sets, SimilarityCounts& counts) {
  counts.documents = table.size();
  counts.empty = table.empty;
  counts.short_documents = table.short_documents;
  counts.replaced = table.replaced;
  counts.exact_duplicates = sets.exact_duplicates;
}

// Members of every distinct set, in document order.
std::vector<std::vector<std::uint32_t>> members_of(const DistinctSets& sets) {
  std::vector<std::vector<std::uint32_t>> members(sets.size());
  for (std::uint32_t document = 0; document < sets.set_of.size(); ++document)
    if (sets.set_of[document] != kNoSet) members[sets.set_of[document]].push_back(document);
  return members;
}

// Every pair of documents of equal or neighbouring sets, sorted, one document at a time: the list
// of all pairs can be far larger than what it is made of.
void expand_pairs(const DistinctSets& sets, const Neighbours& neighbours,
                  const SimilarityOptions& options,
                  const std::function<void(const SimilarPair&)>& sink) {
  const auto members = members_of(sets);
  std::vector<SimilarPair> of_one;
  std::uint64_t handed_over = 0;
  for (std::uint32_t a = 0; a < sets.set_of.size(); ++a) {
    const SetNumber set = sets.set_of[a];
    if (set == kNoSet) continue;
    of_one.clear();
    const auto add_later_members = [&](SetNumber other, double score) {
      const auto& list = members[other];
      for (auto b = std::upper_bound(list.begin(), list.end(), a); b != list.end(); ++b)
        of_one.push_back({a, *b, score});
    };
    add_later_members(set, 1.0);
    for (const Neighbour& neighbour : neighbours.of(set))
      add_later_members(neighbour.set, neighbour.score);
    std::sort(of_one.begin(), of_one.end(),
              [](const SimilarPair& x, const SimilarPair& y) { return x.b < y.b; });
    for (const SimilarPair& pair : of_one) {
      if ((++handed_over & 4095) == 0) check_stop(options);
      sink(pair);
    }
  }
}

std::vector<VerifiedPair> join_exactly(SketchTable& table, const DistinctSets& sets,
                                       const SimilarityOptions& options) {
  std::vector<FeatureSet> distinct;
  distinct.reserve(sets.size());
  for (const std::uint32_t document : sets.document)
    distinct.push_back(std::move(table.sets[document]));
  table.sets = {};
  std::vector<VerifiedPair> pairs;
  for (const SimilarSets& pair :
       exact_join(distinct, options.threshold, options.threads, options.stop))
    pairs.push_back({pair.a, pair.b, pair.overlap.jaccard()});
  return pairs;
}

}  // namespace

DedupResult deduplicate(Corpus& corpus, const DedupOptions& requested) {
  DedupOptions options = requested;
  DedupResult result;
  result.counts = start(options);

  const SketchTable table = sketch_corpus(corpus, options, *options.config.banding, false);
  const DistinctSets sets = collapse(table, options.keep, options.short_policy);
  count_documents(table, sets, result.counts);

  const FeatureExtractor extractor(options.config.features);
  Candidates candidates = find_candidates(table, sets, options, kLargeBucket);
  prepare_corpus(corpus, sets, candidates);
  std::vector<VerifiedPair> verified =
      verify_candidates(corpus, extractor, sets, std::move(candidates.pairs), options);
  const std::uint64_t verified_pairs = verified.size();
  LeaderResult leaders =
      choose_leaders(corpus, extractor, table, sets, candidates, std::move(verified), options);
  result.counts.candidates = candidates.compared + leaders.compared;
  result.counts.verified_pairs = verified_pairs + leaders.verified_pairs;
  result.removed = std::move(leaders.removed);

  if (options.short_policy == ShortPolicy::kDrop) {
    for (std::uint32_t document = 0; document < table.size(); ++document)
      if (table.facts.row(document)->is_short)
        result.removed.push_back({document, std::nullopt, 0});
    std::sort(result.removed.begin(), result.removed.end(),
              [](const Removal& x, const Removal& y) { return x.document < y.document; });
  }
  result.kept = table.size() - result.removed.size();
  std::vector<bool> stands_for_others(table.size());
  for (const Removal& removal : result.removed) {
    if (!removal.kept || stands_for_others[*removal.kept]) continue;
    stands_for_others[*removal.kept] = true;
    ++result.clusters;
  }
  return result;
}

SimilarityCounts find_pairs(Corpus& corpus, const PairsOptions& requested,
                            const std::function<void(const SimilarPair&)>& sink) {
  PairsOptions options = requested;
  SimilarityCounts counts = start(options);
  SketchTable table = sketch_corpus(corpus, options, *options.config.banding, options.exact);
  const DistinctSets sets = collapse(table, Keep::kFirst, options.short_policy);
  count_documents(table, sets, counts);

  std::vector<VerifiedPair> pairs;
  if (options.exact) {
    counts.recall_at_threshold = 1;
    pairs = join_exactly(table, sets, options);
  } else {
    Candidates candidates = find_candidates(table, sets, options, 0);
    counts.candidates = candidates.compared;
    prepare_corpus(corpus, sets, candidates);
    const FeatureExtractor extractor(options.config.features);
    pairs = verify_candidates(corpus, extractor, sets, std::move(candidates.pairs), options);
  }
  counts.verified_pairs = pairs.size();
  expand_pairs(sets, Neighbours(sets.size(), pairs), options, sink);
  return counts;
}

}  // namespace benzer
