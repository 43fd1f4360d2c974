// Pass 2: reads the documents of the candidate pairs again and confirms the pairs exactly.
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

// Lists of pairs that are handed over go to temporary files beyond this, with a limit of memory or
// without.
inline constexpr std::size_t kMostListBytes = std::size_t{64} << 20;

class BelowSample;

// The unique features of sets: of the table if it has them; else read from the corpus when they are
// first asked for and kept until a budget is used up; then the oldest go. One per thread.
class FeatureCache {
 public:
  struct View {
    std::span<const std::uint64_t> features;
    std::uint64_t group;  // by a secret key, so that no group can be made to be taken for another
  };
  FeatureCache(const SketchedCorpus& sketched, std::size_t budget_bytes,
               const std::atomic<bool>* stop);

  // Valid until the next call.
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

// Compares one set after another with the one that was loaded last.
class Verifier {
 public:
  Verifier(const SketchedCorpus& sketched, std::size_t cache_bytes,
           const SimilarityOptions& options, bool want_below)
      : cache_(sketched, cache_bytes, options.stop),
        comparison_(sketched.extractor.spec()),
        threshold_(options.threshold),
        want_below_(want_below) {}

  // The similarity of a and b, a < b, if they are similar and of one group. Calls with the same
  // `loaded` (a or b) behind one another load it once. Keeps what is wanted of the others.
  std::optional<double> compare(SetNumber a, SetNumber b, SetNumber loaded);
  // Whatever it is.
  double score(SetNumber a, SetNumber b);
  // Valid until the next call of anything.
  std::span<const std::uint64_t> features(SetNumber set) { return cache_.of(set).features; }

  std::vector<ScoredPair> take_below() { return std::exchange(below_, {}); }

 private:
  void load(SetNumber set);

  FeatureCache cache_;
  FeatureComparison comparison_;
  Threshold threshold_;
  bool want_below_;
  SetNumber loaded_ = kNoSet;
  std::uint64_t group_ = 0;  // of the loaded one
  std::vector<ScoredPair> below_;
};

// What each of so many threads may keep in a cache of features.
std::size_t cache_bytes(const Workspace& workspace, int threads) noexcept;
// The same for what works through large buckets alone, in no order that suits the cache.
std::size_t cache_bytes(const Workspace& workspace) noexcept;

// Confirms all candidate pairs, in parallel; sorted. below: takes those that are not similar, or
// null.
BigList<Neighbour> verify_candidates(const SketchedCorpus& sketched,
                                     const BigList<CandidatePair>& candidates,
                                     const SimilarityOptions& options, BelowSample* below);

// The scores of any pairs of sets, in the order of the pairs.
std::vector<double> score_pairs(const SketchedCorpus& sketched,
                                std::span<const CandidatePair> pairs,
                                const SimilarityOptions& options);

// Tells the corpus which documents the candidates will need.
void prepare_corpus(Corpus& corpus, const DistinctSets& sets, const Candidates& candidates);

}  // namespace benzer
