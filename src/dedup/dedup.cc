// The order of the stages, and nothing else.
#include "benzer/dedup.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/parallel.h"
#include "dedup/candidates.h"
#include "dedup/components.h"
#include "dedup/count_pass.h"
#include "dedup/distinct_sets.h"
#include "dedup/leader.h"
#include "dedup/neighbours.h"
#include "dedup/sketch_pass.h"
#include "dedup/start.h"
#include "dedup/verify_pass.h"

namespace benzer {
namespace {

// Buckets with more sets than this are worked through kept documents only. Below it, comparing all
// pairs in parallel is cheaper than waiting for the sequential pass.
constexpr std::size_t kLargeBucket = 64;

void count_documents(const SketchTable& table, const FeatureExtractor& extractor,
                     const DistinctSets& sets, SimilarityCounts& counts) {
  counts.documents = table.size() - table.references;
  counts.references = table.references;
  for (std::uint32_t document = table.references; document < table.size(); ++document) {
    counts.bytes += table.facts.row(document)->bytes;
    counts.empty += table.facts.row(document)->features == 0;
    counts.short_documents += table.facts.row(document)->is_short;
  }
  counts.replaced = table.replaced;
  counts.exact_duplicates = sets.exact_duplicates;
  counts.common = extractor.common();
  counts.common_features = extractor.dropped();
  counts.only_common = table.only_common;
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
void expand_pairs(const SketchTable& table, const DistinctSets& sets, const Neighbours& neighbours,
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
        if (*b >= table.references) of_one.push_back({a, *b, score});
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

// What was compared, as documents: the sets by their first documents, and every further document of
// a set with its first.
std::vector<ComparedPair> list_compared(const SketchTable& table, const DistinctSets& sets,
                                        std::span<const Verified* const> parts) {
  std::vector<ComparedPair> list;
  const auto add = [&](std::uint32_t x, std::uint32_t y, double score, bool similar) {
    const auto [a, b] = std::minmax(x, y);
    list.push_back({a, b, score, similar});
  };
  for (const Verified* part : parts) {
    for (const VerifiedPair& pair : part->pairs)
      add(sets.document[pair.a], sets.document[pair.b], pair.score, true);
    for (const VerifiedPair& pair : part->below)
      add(sets.document[pair.a], sets.document[pair.b], pair.score, false);
  }
  for (const std::uint32_t document : sets.order) {
    const std::uint32_t first = sets.document[sets.set_of[document]];
    if (document != first && document >= table.references) add(first, document, 1.0, true);
  }
  std::sort(list.begin(), list.end(), [](const ComparedPair& x, const ComparedPair& y) {
    return x.a != y.a ? x.a < y.a : x.b < y.b;
  });
  return list;
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
    if (may_be_similar(table, sets, pair.a, pair.b))
      pairs.push_back({pair.a, pair.b, pair.overlap.jaccard()});
  return pairs;
}

}  // namespace

std::vector<Cluster> list_clusters(const DedupResult& result) {
  std::vector<std::pair<std::uint32_t, std::size_t>> by_keeper;
  for (std::size_t i = 0; i < result.removed.size(); ++i)
    if (result.removed[i].kept) by_keeper.push_back({*result.removed[i].kept, i});
  std::sort(by_keeper.begin(), by_keeper.end());
  std::vector<Cluster> clusters;
  for (const auto& [keeper, place] : by_keeper) {
    if (clusters.empty() || clusters.back().keeper != keeper) clusters.push_back({keeper, {}, 1});
    clusters.back().removals.push_back(place);
    clusters.back().weakest = std::min(clusters.back().weakest, result.removed[place].score);
  }
  return clusters;
}

DedupResult deduplicate(Corpus& corpus, const DedupOptions& requested) {
  DedupOptions options = requested;
  DedupResult result;
  result.counts = start(options);

  const FeatureExtractor extractor = make_extractor(corpus, options);
  const SketchTable table = sketch_corpus(corpus, options, extractor, *options.config.banding,
                                          false, options.keep.fields().size());
  const DistinctSets sets = collapse(corpus, table, options.keep, options.short_policy);
  count_documents(table, extractor, sets, result.counts);

  Candidates candidates = find_candidates(table, sets, options, kLargeBucket);
  prepare_corpus(corpus, sets, candidates);
  const bool want_below = options.collect_compared;
  const Verified verified =
      verify_candidates(corpus, extractor, sets, std::move(candidates.pairs), options, want_below);
  ChoiceResult choice =
      options.clustering == Clustering::kLeader
          ? choose_leaders(corpus, extractor, table, sets, candidates,
                           Neighbours(sets.size(), verified.pairs), options, want_below)
          : choose_components(corpus, extractor, table, sets, candidates, verified.pairs, options,
                              want_below);
  result.counts.candidates = candidates.compared + choice.compared;
  result.counts.verified_pairs = verified.pairs.size() + choice.verified.pairs.size();
  result.removed = std::move(choice.removed);
  if (options.collect_compared)
    result.compared =
        list_compared(table, sets, std::array{&verified, &std::as_const(choice.verified)});

  if (options.short_policy == ShortPolicy::kDrop) {
    for (std::uint32_t document = table.references; document < table.size(); ++document)
      if (table.facts.row(document)->is_short)
        result.removed.push_back({document, std::nullopt, 0, std::nullopt});
    std::sort(result.removed.begin(), result.removed.end(),
              [](const Removal& x, const Removal& y) { return x.document < y.document; });
  }
  result.kept = result.counts.documents - result.removed.size();
  std::vector<bool> stands_for_others(table.size());
  for (const Removal& removal : result.removed) {
    result.removed_bytes += table.facts.row(removal.document)->bytes;
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
  const FeatureExtractor extractor = make_extractor(corpus, options);
  SketchTable table =
      sketch_corpus(corpus, options, extractor, *options.config.banding, options.exact, 0);
  const DistinctSets sets = collapse(corpus, table, KeepOrder(), options.short_policy);
  count_documents(table, extractor, sets, counts);

  std::vector<VerifiedPair> pairs;
  if (options.exact) {
    counts.recall_at_threshold = 1;
    pairs = join_exactly(table, sets, options);
  } else {
    Candidates candidates = find_candidates(table, sets, options, 0);
    counts.candidates = candidates.compared;
    prepare_corpus(corpus, sets, candidates);
    pairs = verify_candidates(corpus, extractor, sets, std::move(candidates.pairs), options, false)
                .pairs;
  }
  counts.verified_pairs = pairs.size();
  expand_pairs(table, sets, Neighbours(sets.size(), pairs), options, sink);
  return counts;
}

}  // namespace benzer
