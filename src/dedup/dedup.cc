// Runs the stages of deduplicate(), find_pairs() and sketch() in their order.
#include "benzer/dedup.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/runtime.h"

#include "base/big_list.h"
#include "base/workspace.h"
#include "dedup/below_sample.h"
#include "dedup/candidates.h"
#include "dedup/complete_options.h"
#include "dedup/components.h"
#include "dedup/contained.h"
#include "dedup/count_pass.h"
#include "dedup/distinct_sets.h"
#include "dedup/keep_order.h"
#include "dedup/leader.h"
#include "dedup/neighbours.h"
#include "dedup/picture_join.h"
#include "dedup/sketch_pass.h"
#include "dedup/verify_log.h"
#include "dedup/verify_pass.h"

namespace benzer {
namespace {

// In buckets with more sets than this, sets are compared with those of kept documents only. In
// smaller ones, comparing all pairs in parallel is cheaper than waiting for the sequential pass.
constexpr std::size_t kLargeBucket = 64;

void count_documents(const SketchTable& table, const FeatureExtractor& extractor,
                     const DistinctSets& sets, SimilarityCounts& counts) {
  counts.references = table.references;
  auto facts = table.facts();
  for (std::uint32_t document = table.references; document < table.size(); ++document)
    count_document(*facts.row(document), counts);
  counts.replaced = table.replaced;
  counts.undecodable = table.undecodable;
  counts.exact_duplicates = sets.exact_duplicates;
  counts.frequencies = extractor.frequencies();
  counts.common_features = extractor.dropped();
  counts.only_common = table.only_common;
}

// Returns what the first pass does for a deduplication.
SketchTask sketch_task(const DedupOptions& options, const FeatureExtractor& extractor,
                       const SimilarityCounts& counts, bool sets_only = false) {
  SketchTask task{options, extractor, options.keep.fields().size()};
  task.with_size = options.keep.uses_size() || options.measure == Measure::kContainment;
  task.sets_only = sets_only;
  task.anchors = counts.anchors ? counts.anchors->anchors : 0;
  return task;
}

// The documents of every distinct set, by number.
class Members {
 public:
  explicit Members(const DistinctSets& sets) : starts_(std::size_t{sets.size()} + 1) {
    for (const SetNumber set : sets.set_of)
      if (set != kNoSet) ++starts_[set + 1];
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
    members_.resize(sets.order.size());
    std::vector<std::uint32_t> next(starts_.begin(), starts_.end() - 1);
    for (std::uint32_t document = 0; document < sets.set_of.size(); ++document)
      if (sets.set_of[document] != kNoSet) members_[next[sets.set_of[document]]++] = document;
  }
  std::span<const std::uint32_t> of(SetNumber set) const {
    return {members_.data() + starts_[set], starts_[set + 1] - starts_[set]};
  }

 private:
  std::vector<std::uint32_t> starts_;
  std::vector<std::uint32_t> members_;
};

// Hands every pair of documents of equal or neighbouring sets to the sink, sorted. It makes the
// pairs of one document at a time, since the list of all pairs can be far larger than the sets and
// neighbours from which it is made.
void expand_pairs(const SketchTable& table, const DistinctSets& sets, Neighbours neighbours,
                  const SimilarityOptions& options,
                  const std::function<void(const FoundPair&)>& sink) {
  const Members members(sets);
  const auto found = [&](const ScoredPair& pair) {
    FoundPair out{pair};
    if (!sets.sizes.empty())
      out.shares =
          shares_of(pair.score, sets.sizes[sets.set_of[pair.a]], sets.sizes[sets.set_of[pair.b]]);
    return out;
  };
  std::vector<ScoredPair> of_one;
  std::uint64_t handed_over = 0;
  for (std::uint32_t a = 0; a < sets.set_of.size(); ++a) {
    const SetNumber set = sets.set_of[a];
    if (set == kNoSet) continue;
    of_one.clear();
    const auto add_later_members = [&](SetNumber other, double score) {
      const auto list = members.of(other);
      for (auto b = std::upper_bound(list.begin(), list.end(), a); b != list.end(); ++b)
        if (*b >= table.references) of_one.push_back({a, *b, score});
    };
    add_later_members(set, 1.0);
    for (const Neighbour& neighbour : neighbours.of(set))
      add_later_members(neighbour.set, neighbour.score);
    std::sort(of_one.begin(), of_one.end(),
              [](const ScoredPair& x, const ScoredPair& y) { return x.b < y.b; });
    for (const ScoredPair& pair : of_one) {
      if ((++handed_over & 4095) == 0) throw_if_stopped(options.stop);
      sink(found(pair));
    }
  }
}

// Returns for each set its first document that is no reference, or its first one if it has none.
std::vector<std::uint32_t> first_of_inputs(const DistinctSets& sets, std::uint32_t references) {
  std::vector<std::uint32_t> out = sets.document;
  for (const std::uint32_t document : sets.order) {
    std::uint32_t& first = out[sets.set_of[document]];
    if (first < references && document >= references) first = document;
  }
  return out;
}

// Returns the confirmed pairs as pairs of documents: each pair of sets as their first documents,
// and every other document of a set with its first. Two references are no pair: a copy of the later
// one stands for it, or else of the earlier one.
BigList<ScoredPair> list_similar(const SketchTable& table, const DistinctSets& sets,
                                 const Neighbours& neighbours, const ChoiceResult& choice) {
  Sorter<ScoredPair> sorter(table.workspace(), table.workspace().share(16, kMostListBytes),
                            Sorter<ScoredPair>::kDrop);
  const std::vector<std::uint32_t> inputs =
      table.references > 0 ? first_of_inputs(sets, table.references) : std::vector<std::uint32_t>();
  const auto add = [&](std::uint32_t x, std::uint32_t y, double score) {
    const auto [a, b] = std::minmax(x, y);
    sorter.add({a, b, score});
  };
  const auto add_sets = [&](SetNumber x, SetNumber y, double score) {
    const auto [a, b] = std::minmax(x, y);
    const std::uint32_t first = sets.document[a], second = sets.document[b];
    if (second >= table.references || first >= table.references)
      add(first, second, score);
    else if (inputs[b] >= table.references)
      add(first, inputs[b], score);
    else
      add(inputs[a], second, score);
  };
  neighbours.all().for_each([&](const Neighbour& pair) {
    if (pair.from < pair.set) add_sets(pair.from, pair.set, pair.score);
  });
  choice.similar.for_each([&](const ScoredPair& pair) { add_sets(pair.a, pair.b, pair.score); });
  for (const std::uint32_t document : sets.order) {
    const std::uint32_t first = sets.document[sets.set_of[document]];
    if (document != first && document >= table.references) add(first, document, 1.0);
  }
  return sorter.finish();
}

BigList<Neighbour> join_exactly(SketchTable& table, const DistinctSets& sets,
                                const SimilarityOptions& options) {
  if (!options.config.features.is_sketched())
    return join_pictures(table, sets, options, PicturesCompared::kAll, nullptr).neighbours;
  std::vector<FeatureSet> distinct;
  distinct.reserve(sets.size());
  for (const std::uint32_t document : sets.document)
    distinct.push_back(std::move(table.sets[document]));
  table.sets = {};
  Sorter<Neighbour> neighbours(table.workspace(), table.workspace().share(16));
  auto facts_a = table.facts(), facts_b = table.facts();
  for (const SimilarSets& pair :
       exact_join(distinct, options.threshold, options.threads, options.stop,
                  weighting_of(options.config.features), options.measure)) {
    if (sets.only_references[pair.a] && sets.only_references[pair.b]) continue;
    if (facts_a.one(sets.document[pair.a])->group != facts_b.one(sets.document[pair.b])->group)
      continue;
    neighbours.add({pair.a, pair.b, pair.overlap.jaccard()});
    neighbours.add({pair.b, pair.a, pair.overlap.jaccard()});
  }
  return neighbours.finish();
}

std::uint64_t count_copies_of_removed(const DistinctSets& sets,
                                      const std::vector<Removal>& removed) {
  std::uint64_t out = 0;
  std::vector<bool> is_removed(sets.set_of.size());
  for (const Removal& removal : removed) is_removed[removal.document] = true;
  for (const Removal& removal : removed) {
    const std::uint32_t first = sets.document[sets.set_of[removal.document]];
    out += first != removal.document && is_removed[first];
  }
  return out;
}

// Adds the short documents to the removed ones.
void add_short(const SketchTable& table, DedupResult& result) {
  std::vector<Removal> removed;
  std::vector<Link> links;
  std::size_t next = 0;
  auto facts = table.facts();
  for (std::uint32_t document = 0; document < table.size(); ++document) {
    if (next < result.removed.size() && result.removed[next].document == document) {
      removed.push_back(result.removed[next]);
      if (!result.links.empty()) links.push_back(result.links[next]);
      ++next;
    } else if (document >= table.references && facts.row(document)->is_short) {
      removed.push_back({document, std::nullopt, 0});
      if (!result.links.empty()) links.emplace_back();
    }
  }
  result.removed = std::move(removed);
  result.links = std::move(links);
}

// Throws Error(kInvalidArgument) for options that this corpus or these features cannot have.
void check_possible(const Corpus& corpus, const SimilarityOptions& options) {
  // Only a reading of all documents tells which features are common, so nothing can be saved
  // before.
  if (const FeatureSpec& features = options.config.features;
      corpus.saves() && features.needs_frequencies())
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} needs all documents before the first can be sketched, so no stages "
                            "or signatures can be kept",
                            features.tf_idf ? "+tf-idf" : "+drop-common"),
                features.tf_idf ? "leave these out, or count frequencies before (" +
                                      Parameter{"frequencies"} + ")"
                                : ErrorText("leave these out, or +drop-common"));
  if (options.config.features.image() && (corpus.saves() || options.memory_limit > 0))
    throw Error(ErrorCode::kInvalidArgument,
                "the features of pictures are kept in memory, so a memory limit and stages are not "
                "possible; leave these out");
}

// The most bytes of every document that are in memory whatever the limit is. Half of the limit is
// for them.
constexpr std::uint64_t kHeldBytes = 40;
// With containment the sizes of documents and of sets are in memory, too.
constexpr std::uint64_t kSizeBytes = 8;

// Returns the most bytes that a thread takes to compare the largest documents: for the record, its
// text and the parser's copy; for the extraction and two sets of features, and for the tables that
// make them unique and look them up.
std::uint64_t comparing_bytes(const SketchTable& table) {
  return 4 * table.most_bytes + 44 * std::uint64_t{table.most_features} +
         2 * sizeof(std::uint64_t) * std::bit_ceil(2 * std::uint64_t{table.most_features});
}
// All threads that compare documents together may take the limit divided by this.
constexpr std::uint64_t kComparingPart = 16;

// Reserves memory for the next stages, now that the number of documents and the largest are known.
// Throws Error(kInvalidArgument) if the limit is too low for them.
void keep_to_limit(SketchTable& table, SimilarityOptions& options) {
  const std::uint64_t limit = table.workspace().limit();
  if (limit == 0) return;
  const bool has_sizes = options.measure == Measure::kContainment;
  const std::uint64_t held = table.size() * (kHeldBytes + (has_sizes ? kSizeBytes : 0));
  if (held > limit / 2)
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("a memory limit of {} MiB is too little for {} documents; allow {} MiB",
                            limit >> 20, table.size(), (2 * held >> 20) + 1));
  // Half of the limit is for sorting, buckets, caches, the index of the input and comparing. Large
  // documents take more of it, and are compared by fewer threads.
  const std::uint64_t each = comparing_bytes(table);
  const std::uint64_t comparing = limit / kComparingPart;
  const std::uint64_t aside = each - std::min(each, comparing);
  if (held + aside > limit / 2)
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("a memory limit of {} MiB is too little to compare documents of {} "
                            "bytes with {} features among {} documents",
                            limit >> 20, table.most_bytes, table.most_features, table.size()),
                fmt::format("allow {} MiB, or have longer ones skipped (",
                            ((held + each) * 16 / 9 >> 20) + 1) +
                    Parameter{"max_line"} + ")");
  options.threads =
      static_cast<int>(std::clamp<std::uint64_t>(comparing / std::max<std::uint64_t>(each, 1), 1,
                                                 static_cast<std::uint64_t>(options.threads)));
  table.workspace().set_aside(held + aside);
  table.shrink(table.workspace().tables_allowed());
}

}  // namespace

struct ScoredPairs::List {
  BigList<ScoredPair> pairs;
};

ScoredPairs::ScoredPairs(std::vector<ScoredPair> sorted)
    : list_(std::make_shared<List>(List{BigList<ScoredPair>(std::move(sorted))})) {}

std::uint64_t ScoredPairs::size() const noexcept { return list_ ? list_->pairs.size() : 0; }

void ScoredPairs::for_each(const std::function<void(const ScoredPair&)>& visit) const {
  if (list_) list_->pairs.for_each(visit);
}

Clusters::Clusters(const DedupResult& result) : result_(&result) {
  const std::vector<Removal>& removed = result.removed;
  for (std::uint32_t i = 0; i < removed.size(); ++i)
    if (removed[i].keeper) order_.push_back(i);
  std::sort(order_.begin(), order_.end(), [&](std::uint32_t x, std::uint32_t y) {
    return std::pair(*removed[x].keeper, x) < std::pair(*removed[y].keeper, y);
  });
  for (std::uint32_t i = 0; i < order_.size(); ++i)
    if (i == 0 || removed[order_[i]].keeper != removed[order_[i - 1]].keeper) starts_.push_back(i);
  starts_.push_back(static_cast<std::uint32_t>(order_.size()));
}

Cluster Clusters::operator[](std::size_t i) const {
  const std::vector<Removal>& removed = result_->removed;
  Cluster cluster;
  cluster.removals = std::span(order_).subspan(starts_[i], starts_[i + 1] - starts_[i]);
  cluster.keeper = *removed[cluster.removals.front()].keeper;
  for (const std::uint32_t place : cluster.removals)
    cluster.weakest = std::min(cluster.weakest, removed[place].score);
  return cluster;
}

std::optional<std::size_t> Clusters::of_keeper(std::uint32_t keeper) const {
  const auto keeper_of = [&](std::uint32_t start) {
    return *result_->removed[order_[start]].keeper;
  };
  const auto found =
      std::lower_bound(starts_.begin(), starts_.end() - 1, keeper,
                       [&](std::uint32_t start, std::uint32_t k) { return keeper_of(start) < k; });
  if (found == starts_.end() - 1 || keeper_of(*found) != keeper) return std::nullopt;
  return static_cast<std::size_t>(found - starts_.begin());
}

Shares DedupResult::shares(const Removal& removal) const noexcept {
  if (sizes.empty() || !removal.keeper) return {};
  // The score is the share of the removed document, which need not be the smaller one.
  const std::uint32_t size = sizes[removal.document], of_keeper = sizes[*removal.keeper];
  return {removal.score, std::round(removal.score * size) / of_keeper};
}

Shares DedupResult::shares(const ScoredPair& pair) const noexcept {
  if (sizes.empty()) return {};
  return shares_of(pair.score, sizes[pair.a], sizes[pair.b]);
}

DedupResult deduplicate(Corpus& corpus, const DedupOptions& requested) {
  DedupOptions options = requested;
  DedupResult result;
  result.counts = complete_options(options);
  if (options.clustering == Clustering::kComponents)
    refuse_containment(options, "clustering by components");
  Workspace workspace(options.memory_limit, options.work_folder);
  check_possible(corpus, options);
  check_keep(corpus, options.keep);

  const FeatureExtractor extractor = make_extractor(corpus, options);
  const bool is_sketched = options.config.features.is_sketched();
  SketchTable table = sketch_corpus(
      corpus, sketch_task(options, extractor, result.counts, !is_sketched), workspace);
  keep_to_limit(table, options);
  const DistinctSets sets = collapse(corpus, extractor, table, options.keep, options);
  const SketchedCorpus sketched{corpus, extractor, table, sets};
  count_documents(table, extractor, sets, result.counts);

  std::optional<BelowSample> sample;
  BelowSample* below = options.collect == Collect::kCompared ? &sample.emplace(sets) : nullptr;
  Candidates candidates;
  BigList<Neighbour> verified;
  if (!is_sketched) {
    PicturePairs found =
        join_pictures(table, sets, options,
                      options.clustering == Clustering::kLeader ? PicturesCompared::kForLeaders
                                                                : PicturesCompared::kAll,
                      below);
    candidates.compared = found.compared;
    verified = std::move(found.neighbours);
  } else {
    candidates = result.counts.anchors ? find_contained(corpus, sketched, *result.counts.anchors,
                                                        options, Contained::kLater)
                                       : find_candidates(table, sets, options, kLargeBucket);
    prepare_corpus(corpus, sets, candidates);
    verified = verify_candidates(sketched, std::exchange(candidates.pairs, {}), options, below);
  }
  const std::uint64_t verified_pairs = verified.size() / 2;
  Neighbours neighbours(sets.size(), std::move(verified));
  ChoiceResult choice = options.clustering == Clustering::kLeader
                            ? choose_leaders(sketched, candidates, neighbours, options, below)
                            : choose_components(sketched, candidates, neighbours, options, below);
  result.counts.candidates = candidates.compared + choice.compared;
  result.counts.verified_pairs = verified_pairs + choice.confirmed;
  result.counts.cut_short = choice.cut_short;
  result.removed = std::move(choice.removed);
  result.links = std::move(choice.links);
  if (options.collect != Collect::kNothing)
    result.similar = ScoredPairs(std::make_shared<ScoredPairs::List>(
        ScoredPairs::List{list_similar(table, sets, neighbours, choice)}));
  if (sample) result.below = sample->finish();

  result.counts.copies_of_removed = count_copies_of_removed(sets, result.removed);
  if (options.short_policy == ShortPolicy::kDrop) add_short(table, result);
  if (result.counts.anchors) result.sizes = table.feature_counts();
  result.kept = result.counts.documents - result.removed.size();
  auto facts = table.facts();
  std::vector<bool> stands_for_others(table.size());
  for (const Removal& removal : result.removed) {
    result.removed_bytes += facts.row(removal.document)->bytes;
    if (!removal.keeper || stands_for_others[*removal.keeper]) continue;
    stands_for_others[*removal.keeper] = true;
    ++result.clusters;
  }
  return result;
}

void remove_stages(const SimilarityOptions& options) noexcept {
  if (options.keep_stages) VerifyLog::remove(options.work_folder);
}

SimilarityCounts sketch(Corpus& corpus, const DedupOptions& requested) {
  DedupOptions options = requested;
  SimilarityCounts counts = complete_options(options);
  check_possible(corpus, options);
  check_keep(corpus, options.keep);
  if (!corpus.saves())
    throw Error(ErrorCode::kInvalidArgument,
                "a stage can be kept of files of JSON lines only, not of CSV, text files or inputs "
                "that can be read only once",
                "leave " + Parameter{"stage"} + " out");
  const FeatureExtractor extractor(options.config.features);
  sketch_to_save(corpus, sketch_task(options, extractor, counts), counts);
  return counts;
}

SimilarityCounts find_pairs(Corpus& corpus, const PairsOptions& requested,
                            const std::function<void(const FoundPair&)>& sink) {
  PairsOptions options = requested;
  SimilarityCounts counts = complete_options(options, options.exact);
  check_possible(corpus, options);
  if (options.exact && options.memory_limit > 0)
    throw Error(ErrorCode::kInvalidArgument,
                "the exact join keeps all features in memory, so it has no memory limit; leave "
                "out one of the two");
  Workspace workspace(options.memory_limit, options.work_folder);
  const FeatureExtractor extractor = make_extractor(corpus, options);
  options.exact |= !options.config.features.is_sketched();
  SketchTask task{options, extractor, 0, options.measure == Measure::kContainment, options.exact};
  task.anchors = counts.anchors ? counts.anchors->anchors : 0;
  SketchTable table = sketch_corpus(corpus, task, workspace);
  keep_to_limit(table, options);
  const DistinctSets sets = collapse(corpus, extractor, table, KeepOrder(), options);
  count_documents(table, extractor, sets, counts);

  BigList<Neighbour> neighbours;
  if (options.exact) {
    counts.recall_at_threshold = 1;
    neighbours = join_exactly(table, sets, options);
  } else {
    const SketchedCorpus sketched{corpus, extractor, table, sets};
    Candidates candidates = counts.anchors ? find_contained(corpus, sketched, *counts.anchors,
                                                            options, Contained::kSmaller)
                                           : find_candidates(table, sets, options, 0);
    counts.candidates = candidates.compared;
    prepare_corpus(corpus, sets, candidates);
    neighbours = verify_candidates(sketched, candidates.pairs, options, nullptr);
  }
  counts.verified_pairs = neighbours.size() / 2;
  expand_pairs(table, sets, Neighbours(sets.size(), std::move(neighbours)), options, sink);
  return counts;
}

}  // namespace benzer
