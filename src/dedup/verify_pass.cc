#include "dedup/verify_pass.h"

#include <algorithm>
#include <mutex>
#include <numeric>

#include <ips4o/ips4o.hpp>

#include "base/parallel.h"

namespace benzer {
namespace {

// Each thread keeps the features of at most this much while it works through a family of documents.
constexpr std::size_t kCacheBytes = std::size_t{32} << 20;

// What the cache itself takes for a set, counted in features.
constexpr std::size_t kOverhead = 16;

// Pairs that one thread takes at a time, at least.
constexpr std::size_t kPairsPerPiece = 512;

// Disjoint sets with path halving; the root of a family is its first member.
class Families {
 public:
  explicit Families(SetNumber size) : parent_(size) {
    std::iota(parent_.begin(), parent_.end(), SetNumber{0});
  }
  SetNumber root(SetNumber s) {
    while (parent_[s] != s) s = parent_[s] = parent_[parent_[s]];
    return s;
  }
  void join(SetNumber a, SetNumber b) {
    a = root(a);
    b = root(b);
    if (a != b) parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<SetNumber> parent_;
};

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

std::vector<VerifiedPair> verify_candidates(const Corpus& corpus, const FeatureExtractor& extractor,
                                            const DistinctSets& sets,
                                            std::vector<CandidatePair> candidates,
                                            const SimilarityOptions& options) {
  sort_by_family(candidates, sets.size());
  const std::vector<std::size_t> cuts = cut_into_pieces(candidates);
  const std::size_t pieces = cuts.size() - 1;

  std::mutex mutex;
  std::vector<VerifiedPair> verified;
  std::uint64_t done = 0;
  std::size_t next_piece = 0;
  const auto take_piece = [&] {
    std::lock_guard lock(mutex);
    return next_piece == pieces ? pieces : next_piece++;
  };
  const auto work = [&] {
    FeatureCache cache(corpus, extractor, sets, kCacheBytes);
    OverlapCounter counter;
    std::vector<VerifiedPair> local;
    for (std::size_t piece = take_piece(); piece < pieces; piece = take_piece()) {
      SetNumber loaded = kNoSet;
      for (std::size_t i = cuts[piece]; i < cuts[piece + 1]; ++i) {
        check_stop(options);
        const CandidatePair& pair = candidates[i];
        if (pair.a != loaded) {
          counter.load(cache.features(pair.a));
          loaded = pair.a;
        }
        const auto common = counter.compare(cache.features(pair.b), options.threshold);
        if (common) local.push_back({pair.a, pair.b, common->jaccard()});
      }
      std::lock_guard lock(mutex);
      done += cuts[piece + 1] - cuts[piece];
      if (options.progress) options.progress({"verify", done, candidates.size()});
    }
    std::lock_guard lock(mutex);
    verified.insert(verified.end(), local.begin(), local.end());
  };
  run_workers(resolve_threads(options.threads), [&](int) {
    try {
      work();
    } catch (...) {
      std::lock_guard lock(mutex);
      next_piece = pieces;  // nobody need go on
      throw;
    }
  });
  ips4o::sort(verified.begin(), verified.end(), [](const VerifiedPair& x, const VerifiedPair& y) {
    return x.a != y.a ? x.a < y.a : x.b < y.b;
  });
  return verified;
}

}  // namespace benzer
