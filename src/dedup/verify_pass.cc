#include "dedup/verify_pass.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <xxhash.h>

#include "benzer/runtime.h"

#include "base/disjoint_sets.h"
#include "base/parallel.h"
#include "base/pipeline.h"
#include "base/pool.h"
#include "dedup/below_sample.h"
#include "dedup/document.h"
#include "dedup/sketch_pass.h"
#include "dedup/verify_log.h"

namespace benzer {
namespace {

// Each thread keeps at most this many bytes of features.
constexpr std::size_t kCacheBytes = std::size_t{32} << 20;

// What a cache entry takes besides its features, counted in features.
constexpr std::size_t kOverhead = 16;

// The fewest pairs that one thread takes at a time.
constexpr std::size_t kPairsPerPiece = 512;

// A pair and its family: the first set of the component that candidate pairs connect.
struct FamilyPair {
  SetNumber family;
  CandidatePair pair;
  auto operator<=>(const FamilyPair&) const = default;
};

// Orders pairs by family, so that one thread gets all pairs of a document and reads it once, and
// the file is read from front to back.
BigList<FamilyPair> sort_by_family(const BigList<CandidatePair>& pairs, SetNumber set_count,
                                   const Workspace& workspace) {
  DisjointSets connected(set_count);
  pairs.for_each([&](const CandidatePair& pair) { connected.join(pair.a, pair.b); });
  Sorter<FamilyPair> sorter(workspace, workspace.share(16));
  pairs.for_each([&](const CandidatePair& pair) { sorter.add({connected.root(pair.a), pair}); });
  return sorter.finish();
}

// Returns a hash that is equal for the same work: the pairs in their order, the features of their
// documents, and the options. The numbers of documents are not enough: another run may have other
// texts.
std::uint64_t work_of(const BigList<FamilyPair>& pairs, const SketchTable& table,
                      const DistinctSets& sets, const SimilarityOptions& options, bool want_below) {
  const std::string asked = fmt::format(
      "{} {} {} {}{}", options.config.features.str(), options.config.features.seed,
      options.threshold.str(), want_below,
      options.measure == Measure::kJaccard ? "" : fmt::format(" {}", name_of(options.measure)));
  std::uint64_t hash = XXH3_64bits(asked.data(), asked.size());
  auto facts = table.facts();
  pairs.for_each([&](const FamilyPair& next) {
    for (const SetNumber set : {next.pair.a, next.pair.b}) {
      const std::uint32_t document = sets.document[set];
      const DocumentFacts& known = *facts.one(document);
      const std::uint64_t parts[] = {set, document, known.fingerprint.sum,
                                     known.fingerprint.product_sum, known.features};
      hash = XXH3_64bits_withSeed(parts, sizeof parts, hash);
    }
  });
  return hash;
}

// The pairs that one thread takes at a time, and its results.
struct Piece {
  std::vector<CandidatePair> pairs;
  std::vector<ScoredPair> similar, below;
};

// Cuts the pairs into pieces where the first set changes. The pairs of a set with very many
// partners are cut, too.
class Cutter {
 public:
  Cutter(const BigList<FamilyPair>& pairs, std::size_t begin)
      : cursor_(pairs, begin), next_(cursor_.next()) {}

  bool next(Piece& piece) {
    piece.pairs.clear();
    for (; next_ != nullptr; next_ = cursor_.next()) {
      const std::size_t count = piece.pairs.size();
      if (count >= kPairsPerPiece &&
          (next_->pair.a != piece.pairs.back().a || count >= 8 * kPairsPerPiece))
        break;
      piece.pairs.push_back(next_->pair);
    }
    return !piece.pairs.empty();
  }

 private:
  BigList<FamilyPair>::Cursor cursor_;
  const FamilyPair* next_;
};

}  // namespace

std::size_t cache_bytes(const Workspace& workspace, int threads) noexcept {
  return workspace.share(16 * static_cast<std::size_t>(threads), kCacheBytes);
}

std::size_t cache_bytes(const Workspace& workspace) noexcept {
  return workspace.share(16, 4 * kCacheBytes);
}

FeatureCache::FeatureCache(const SketchedCorpus& sketched, std::size_t budget_bytes,
                           const std::atomic<bool>* stop)
    : extractor_(sketched.extractor),
      table_(sketched.table),
      sets_(sketched.sets),
      reader_(sketched.corpus.reader()),
      buffer_(stop),
      budget_features_(budget_bytes / sizeof(std::uint64_t)) {}

FeatureCache::View FeatureCache::of(SetNumber set) {
  const auto view = [](const Cached& cached) {
    return View{cached.features.features(), cached.group};
  };
  // If the table keeps the sets, the groups were compared before.
  if (!table_.sets.empty()) return {table_.sets[sets_.document[set]].features(), 0};
  const auto known = cached_.find(set);
  if (known != cached_.end()) return view(known->second);

  const DocumentView document = reader_->read(sets_.document[set]);
  FeatureSet unique = unique_features(extractor_, document, buffer_);
  while (!oldest_first_.empty() &&
         cached_features_ + unique.size() + kOverhead > budget_features_) {
    const auto oldest = cached_.find(oldest_first_.front());
    oldest_first_.pop_front();
    cached_features_ -= oldest->second.features.size() + kOverhead;
    cached_.erase(oldest);
  }
  cached_features_ += unique.size() + kOverhead;
  oldest_first_.push_back(set);
  const std::uint64_t group = fingerprinter_.group(document.group);
  return view(cached_.emplace(set, Cached{std::move(unique), group}).first->second);
}

void prepare_corpus(Corpus& corpus, const DistinctSets& sets, const Candidates& candidates) {
  std::vector<bool> needed(sets.size());
  candidates.pairs.for_each(
      [&](const CandidatePair& pair) { needed[pair.a] = needed[pair.b] = true; });
  for (const auto& bucket : candidates.large_buckets)
    for (const SetNumber s : bucket.sets) needed[s] = true;
  for (const auto& anchor : candidates.common_anchors)
    for (const SetNumber s : anchor.holders) needed[s] = true;
  std::vector<std::uint32_t> documents;
  for (SetNumber s = 0; s < sets.size(); ++s)
    if (needed[s]) documents.push_back(sets.document[s]);
  std::sort(documents.begin(), documents.end());
  corpus.prepare(documents);
}

void Verifier::load(SetNumber set) {
  if (set == loaded_) return;
  const FeatureCache::View view = cache_.of(set);
  comparison_.load(view.features);
  group_ = view.group;
  loaded_ = set;
}

std::optional<double> Verifier::compare(SetNumber a, SetNumber b, SetNumber loaded) {
  load(loaded);
  const auto [other, group] = cache_.of(loaded == a ? b : a);
  if (group != group_) return std::nullopt;
  if (const auto common = comparison_.compare(other, threshold_)) return common->jaccard();
  if (want_below_) below_.push_back({a, b, comparison_.compare(other).jaccard()});
  return std::nullopt;
}

double Verifier::score(SetNumber a, SetNumber b) {
  load(a);
  return comparison_.compare(cache_.of(b).features).jaccard();
}

BigList<Neighbour> verify_candidates(const SketchedCorpus& sketched,
                                     const BigList<CandidatePair>& candidates,
                                     const SimilarityOptions& options, BelowSample* below) {
  const SketchTable& table = sketched.table;
  const DistinctSets& sets = sketched.sets;
  const bool want_below = below != nullptr;
  const Workspace& workspace = table.workspace();
  const int threads = resolve_threads(options.threads);
  const BigList<FamilyPair> pairs = sort_by_family(candidates, sets.size(), workspace);
  Pool<Verifier> verifiers;
  const auto make_verifier = [&] {
    return std::make_unique<Verifier>(sketched, cache_bytes(workspace, threads), options,
                                      want_below);
  };
  Sorter<Neighbour> neighbours(workspace, workspace.share(16));
  const auto add = [&](const std::vector<ScoredPair>& similar,
                       const std::vector<ScoredPair>& not_similar) {
    for (const ScoredPair& pair : similar) {
      neighbours.add({pair.a, pair.b, pair.score});
      neighbours.add({pair.b, pair.a, pair.score});
    }
    for (const ScoredPair& pair : not_similar)
      if (below) below->add(pair);
  };
  VerifyLog log(options.keep_stages ? options.work_folder : std::string());
  std::uint64_t done = 0;
  if (options.keep_stages)
    done = log.replay({work_of(pairs, table, sets, options, want_below), pairs.size(), sets.size()},
                      add);
  Cutter cutter(pairs, done);
  ordered_pipeline<Piece>(
      threads, [&](Piece& piece) { return cutter.next(piece); },
      [&](Piece& piece) {
        piece.similar.clear();
        std::unique_ptr<Verifier> verifier = verifiers.take(make_verifier);
        for (const CandidatePair& pair : piece.pairs) {
          throw_if_stopped(options.stop);
          if (const auto score = verifier->compare(pair.a, pair.b, pair.a))
            piece.similar.push_back({pair.a, pair.b, *score});
        }
        piece.below = verifier->take_below();
        verifiers.give(std::move(verifier));
      },
      [&](Piece& piece) {
        add(piece.similar, piece.below);
        log.add(piece.pairs.size(), piece.similar, piece.below);
        done += piece.pairs.size();
        if (options.progress) options.progress({"verify", done, pairs.size()});
      });
  log.flush();
  return neighbours.finish();
}

std::vector<double> score_pairs(const SketchedCorpus& sketched,
                                std::span<const CandidatePair> pairs,
                                const SimilarityOptions& options) {
  const Workspace& workspace = sketched.table.workspace();
  const int threads = resolve_threads(options.threads);
  Pool<Verifier> verifiers;
  const auto make_verifier = [&] {
    return std::make_unique<Verifier>(sketched, cache_bytes(workspace, threads), options, false);
  };
  std::vector<double> scores(pairs.size());
  const auto score_piece = [&](std::size_t begin, std::size_t end) {
    std::unique_ptr<Verifier> verifier = verifiers.take(make_verifier);
    for (std::size_t i = begin; i < end; ++i) {
      throw_if_stopped(options.stop);
      scores[i] = verifier->score(pairs[i].a, pairs[i].b);
    }
    verifiers.give(std::move(verifier));
  };
  parallel_for(threads, pairs.size(), kPairsPerPiece, score_piece);
  return scores;
}

}  // namespace benzer
