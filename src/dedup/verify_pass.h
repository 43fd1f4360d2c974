// Runs pass 2: reads the documents of the candidate pairs again and confirms the pairs exactly.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "benzer/corpus.h"
#include "benzer/similarity.h"

#include "base/big_list.h"
#include "dedup/candidates.h"
#include "dedup/distinct_sets.h"
#include "dedup/neighbours.h"
#include "verify/feature_comparison.h"

namespace benzer {

// A list of pairs that is a result goes to a temporary file beyond this size, with or without a
// memory limit.
inline constexpr std::size_t kMostListBytes = std::size_t{64} << 20;

class BelowSample;

// Gives the unique features of sets: those of the table if it has them. Else it reads them from the
// corpus when they are first needed and keeps them; beyond a budget the oldest are dropped.
// Threads: one object per thread.
class FeatureCache {
 public:
  struct View {
    std::span<const std::uint64_t> features;
    std::uint64_t group;  // hashed with a secret key, so that no input can forge another group
  };
  FeatureCache(const SketchedCorpus& sketched, std::size_t budget_bytes,
               const std::atomic<bool>* stop);

  // Returns the features and group of a set; valid until the next call.
  View of(SetNumber set);

 private:
  const FeatureExtractor& extractor_;
  const SketchTable& table_;
  const DistinctSets& sets_;
  std::unique_ptr<Corpus::Reader> reader_;
  FeatureBuffer buffer_;
  struct Cached {
    FeatureSet features;
    std::uint64_t group;
  };
  Fingerprinter fingerprinter_{true};
  std::unordered_map<SetNumber, Cached> cached_;
  std::deque<SetNumber> oldest_first_;
  std::size_t budget_features_;
  std::size_t cached_features_ = 0;
};

// Compares sets with the one that was loaded last.
class Verifier {
 public:
  Verifier(const SketchedCorpus& sketched, std::size_t cache_bytes,
           const SimilarityOptions& options, bool want_below)
      : cache_(sketched, cache_bytes, options.stop),
        comparison_(sketched.extractor.spec(), options.measure),
        threshold_(options.threshold),
        want_below_(want_below) {}

  // Returns the similarity of a and b, a < b, if they are similar and of one group. Successive
  // calls with the same `loaded` (a or b) load it once. If want_below, pairs of one group that are
  // not similar are kept for take_below().
  std::optional<double> compare(SetNumber a, SetNumber b, SetNumber loaded);
  // Returns the similarity of a and b, whatever it is.
  double score(SetNumber a, SetNumber b);
  // Returns the features of a set; valid until the next call of any function.
  std::span<const std::uint64_t> features(SetNumber set) { return cache_.of(set).features; }

  std::vector<ScoredPair> take_below() { return std::exchange(below_, {}); }

 private:
  void load(SetNumber set);

  FeatureCache cache_;
  FeatureComparison comparison_;
  Threshold threshold_;
  bool want_below_;
  SetNumber loaded_ = kNoSet;
  std::uint64_t group_ = 0;  // of the loaded set
  std::vector<ScoredPair> below_;
};

// Returns how many bytes of features each of `threads` threads may keep in its cache.
std::size_t cache_bytes(const Workspace& workspace, int threads) noexcept;
// Returns the same for the one thread that processes large buckets, in an order for which a cache
// must be large.
std::size_t cache_bytes(const Workspace& workspace) noexcept;

// Confirms all candidate pairs, in parallel, and returns the similar ones, sorted. below: receives
// those that are not similar; may be null.
BigList<Neighbour> verify_candidates(const SketchedCorpus& sketched,
                                     const BigList<CandidatePair>& candidates,
                                     const SimilarityOptions& options, BelowSample* below);

// Returns the scores of any pairs of sets, in the order of the pairs.
std::vector<double> score_pairs(const SketchedCorpus& sketched,
                                std::span<const CandidatePair> pairs,
                                const SimilarityOptions& options);

// Tells the corpus which documents the candidates will need.
void prepare_corpus(Corpus& corpus, const DistinctSets& sets, const Candidates& candidates);

}  // namespace benzer
