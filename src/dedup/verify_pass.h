// Pass 2: reads the documents of the candidate pairs again and confirms the pairs exactly.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "benzer/corpus.h"
#include "benzer/similarity.h"

#include "dedup/candidates.h"
#include "dedup/distinct_sets.h"

namespace benzer {

// A confirmed pair of sets, a < b, and its exact similarity.
struct VerifiedPair {
  SetNumber a;
  SetNumber b;
  double score;
};

// The unique features of sets, read from the corpus when they are first asked for and kept until a
// budget is used up; then the oldest go. One per thread.
class FeatureCache {
 public:
  FeatureCache(const Corpus& corpus, const FeatureExtractor& extractor, const DistinctSets& sets,
               std::size_t budget_bytes);

  // Valid until the next call.
  std::span<const std::uint64_t> features(SetNumber set);

 private:
  const FeatureExtractor& extractor_;
  const DistinctSets& sets_;
  std::unique_ptr<Corpus::Reader> reader_;
  FeatureBuffer buffer_;
  std::unordered_map<SetNumber, FeatureSet> cached_;
  std::deque<SetNumber> oldest_first_;
  std::size_t budget_features_;
  std::size_t cached_features_ = 0;
};

// Confirms all candidate pairs, in parallel. Sorted by (a, b).
std::vector<VerifiedPair> verify_candidates(const Corpus& corpus, const FeatureExtractor& extractor,
                                            const DistinctSets& sets,
                                            std::vector<CandidatePair> candidates,
                                            const SimilarityOptions& options);

// Tells the corpus which documents the candidates will need.
void prepare_corpus(Corpus& corpus, const DistinctSets& sets, const Candidates& candidates);

}  // namespace benzer
