#include "dedup/verify_pass.h"

#include <algorithm>
#include <functional>
#include <mutex>

#include <ips4o/ips4o.hpp>

#include "base/parallel.h"
#include "dedup/families.h"

namespace benzer {
namespace {

// Each thread keeps the features of at most this much while it works through a family of documents.
constexpr std::size_t kCacheBytes = std::size_t{32} << 20;

// What the cache itself takes for a set, counted in features.
constexpr std::size_t kOverhead = 16;

// Pairs that one thread takes at a time, at least.
constexpr std::size_t kPairsPerPiece = 512;

// Orders pairs by family, so that one thread meets all pairs of a document and reads it once, and
// the file is read from front to back.
void sort_by_family(std::vector<CandidatePair>& pairs, SetNumber set_count) {
  Families families(set_count);
  for (const CandidatePair& pair : pairs) families.join(pair.a, pair.b);
  struct Keyed {
    SetNumber family;
    CandidatePair pair;
    auto operator<=>(const Keyed&) const = default;
  };
  std::vector<Keyed> keyed;
  keyed.reserve(pairs.size());
  for (const CandidatePair& pair : pairs) keyed.push_back({families.root(pair.a), pair});
  ips4o::sort(keyed.begin(), keyed.end());
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = keyed[i].pair;
}

// Cuts the pairs where a new first set begins, so that most pieces end between two families; a set
// with very many partners is cut too.
std::vector<std::size_t> cut_into_pieces(const std::vector<CandidatePair>& pairs) {
  std::vector<std::size_t> cuts{0};
  for (std::size_t i = 1; i < pairs.size(); ++i)
    if (i - cuts.back() >= kPairsPerPiece &&
        (pairs[i].a != pairs[i - 1].a || i - cuts.back() >= 8 * kPairsPerPiece))
      cuts.push_back(i);
  cuts.push_back(pairs.size());
  return cuts;
}

}  // namespace

FeatureCache::FeatureCache(const Corpus& corpus, const FeatureExtractor& extractor,
                           const DistinctSets& sets, std::size_t budget_bytes)
    : extractor_(extractor),
      sets_(sets),
      reader_(corpus.reader()),
      budget_features_(budget_bytes / sizeof(std::uint64_t)) {}

std::span<const std::uint64_t> FeatureCache::features(SetNumber set) {
  const auto known = cached_.find(set);
  if (known != cached_.end()) return known->second.features();

  const DocumentView document = reader_->read(sets_.document[set]);
  if (extractor_.spec().is_text()) {
    extractor_.extract(document.text, buffer_);
  } else {
    extractor_.extract_values(document.values, buffer_);
  }
  FeatureSet unique(buffer_.features());
  while (!oldest_first_.empty() &&
         cached_features_ + unique.size() + kOverhead > budget_features_) {
    const auto oldest = cached_.find(oldest_first_.front());
    oldest_first_.pop_front();
    cached_features_ -= oldest->second.size() + kOverhead;
    cached_.erase(oldest);
  }
  cached_features_ += unique.size() + kOverhead;
  oldest_first_.push_back(set);
  return cached_.emplace(set, std::move(unique)).first->second.features();
}

void prepare_corpus(Corpus& corpus, const DistinctSets& sets, const Candidates& candidates) {
  std::vector<bool> needed(sets.size());
  for (const CandidatePair& pair : candidates.pairs) needed[pair.a] = needed[pair.b] = true;
  for (const auto& bucket : candidates.large_buckets)
    for (const SetNumber s : bucket.sets) needed[s] = true;
  std::vector<std::uint32_t> documents;
  for (SetNumber s = 0; s < sets.size(); ++s)
    if (needed[s]) documents.push_back(sets.document[s]);
  std::sort(documents.begin(), documents.end());
  corpus.prepare(documents);
}

void Verifier::load(SetNumber set) {
  if (set == loaded_) return;
  counter_.load(cache_.features(set));
  loaded_ = set;
}

std::optional<double> Verifier::compare(SetNumber a, SetNumber b, SetNumber loaded) {
  load(loaded);
  const std::span<const std::uint64_t> other = cache_.features(loaded == a ? b : a);
  if (const auto common = counter_.compare(other, threshold_)) return common->jaccard();
  if (want_below_) below_.push_back({a, b, counter_.compare(other).jaccard()});
  return std::nullopt;
}

double Verifier::score(SetNumber a, SetNumber b) {
  load(a);
  return counter_.compare(cache_.features(b)).jaccard();
}

namespace {

void sort_pairs(std::vector<VerifiedPair>& pairs) {
  ips4o::sort(pairs.begin(), pairs.end(), [](const VerifiedPair& x, const VerifiedPair& y) {
    return x.a != y.a ? x.a < y.a : x.b < y.b;
  });
}

// Verifiers, with their caches, that threads take for a piece of work and give back. One that is
// lost to an exception is not missed: the work ends.
class VerifierPool {
 public:
  VerifierPool(const Corpus& corpus, const FeatureExtractor& extractor, const DistinctSets& sets,
               const Threshold& threshold, bool want_below)
      : make_([&corpus, &extractor, &sets, threshold, want_below] {
          return std::make_unique<Verifier>(corpus, extractor, sets, kCacheBytes, threshold,
                                            want_below);
        }) {}

  std::unique_ptr<Verifier> take() {
    {
      std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        std::unique_ptr<Verifier> last = std::move(free_.back());
        free_.pop_back();
        return last;
      }
    }
    return make_();
  }
  void give(std::unique_ptr<Verifier> verifier) {
    std::lock_guard lock(mutex_);
    free_.push_back(std::move(verifier));
  }
  std::vector<VerifiedPair> take_below() {
    std::vector<VerifiedPair> all;
    for (const auto& verifier : free_) {
      const std::vector<VerifiedPair> below = verifier->take_below();
      all.insert(all.end(), below.begin(), below.end());
    }
    return all;
  }

 private:
  std::function<std::unique_ptr<Verifier>()> make_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Verifier>> free_;
};

}  // namespace

Verified verify_candidates(const Corpus& corpus, const FeatureExtractor& extractor,
                           const DistinctSets& sets, std::vector<CandidatePair> candidates,
                           const SimilarityOptions& options, bool want_below) {
  sort_by_family(candidates, sets.size());
  const std::vector<std::size_t> cuts = cut_into_pieces(candidates);

  VerifierPool verifiers(corpus, extractor, sets, options.threshold, want_below);
  std::mutex mutex;
  Verified verified;
  std::uint64_t done = 0;
  const auto verify_piece = [&](std::size_t piece, std::size_t) {
    std::unique_ptr<Verifier> verifier = verifiers.take();
    std::vector<VerifiedPair> local;
    for (std::size_t i = cuts[piece]; i < cuts[piece + 1]; ++i) {
      check_stop(options);
      const CandidatePair& pair = candidates[i];
      if (const auto score = verifier->compare(pair.a, pair.b, pair.a))
        local.push_back({pair.a, pair.b, *score});
    }
    verifiers.give(std::move(verifier));
    std::lock_guard lock(mutex);
    verified.pairs.insert(verified.pairs.end(), local.begin(), local.end());
    done += cuts[piece + 1] - cuts[piece];
    if (options.progress) options.progress({"verify", done, candidates.size()});
  };
  parallel_for(resolve_threads(options.threads), cuts.size() - 1, 1, verify_piece);
  verified.below = verifiers.take_below();
  sort_pairs(verified.pairs);
  sort_pairs(verified.below);
  return verified;
}

std::vector<double> score_pairs(const Corpus& corpus, const FeatureExtractor& extractor,
                                const DistinctSets& sets, std::span<const CandidatePair> pairs,
                                const SimilarityOptions& options) {
  VerifierPool verifiers(corpus, extractor, sets, options.threshold, false);
  std::vector<double> scores(pairs.size());
  const auto score_piece = [&](std::size_t begin, std::size_t end) {
    std::unique_ptr<Verifier> verifier = verifiers.take();
    for (std::size_t i = begin; i < end; ++i) {
      check_stop(options);
      scores[i] = verifier->score(pairs[i].a, pairs[i].b);
    }
    verifiers.give(std::move(verifier));
  };
  parallel_for(resolve_threads(options.threads), pairs.size(), kPairsPerPiece, score_piece);
  return scores;
}

}  // namespace benzer
