// Compares every document of a corpus exactly with all documents of a sample, in the second reading
// of the corpus.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "benzer/corpus.h"
#include "benzer/dedup.h"
#include "benzer/similarity.h"

#include "eval/sample.h"

namespace benzer {

// A document and a sampled one that share features.
struct Meeting {
  std::uint32_t document = 0;
  std::uint32_t sampled = 0;  // its place in the sample
  Overlap overlap;            // of the measure that is asked for
  bool equal = false;         // the feature sets are equal
  bool similar = false;       // the pair reaches the threshold
  bool found = false;         // a run finds the pair; false for pairs that are not similar
  double score() const noexcept { return overlap.jaccard(); }
};

// A document that a run compares.
struct Participant {
  std::uint32_t document = 0;
  std::uint64_t set_key = 0;
  std::uint64_t group_key = 0;
};

struct ComparePassCounts {
  std::uint64_t documents = 0;  // without references
  std::uint64_t references = 0;
  std::uint64_t empty = 0;
  std::uint64_t short_documents = 0;
  std::uint64_t taking_part = 0;
};

struct ComparePassOptions {
  double least_similarity = 0;  // pairs below it are left out; at 0, those that share nothing
  bool find = false;            // set Meeting::found, which needs the bands
  // Called in the order of the documents, from one thread at a time: participant(), then meeting()
  // for each of its meetings. Either may be empty.
  std::function<void(const Participant&)> participant = {};
  std::function<void(const Meeting&)> meeting = {};
};

// Reads the corpus and calls the functions of `pass`. A sampled document does not meet itself; of
// two sampled ones each meets the other. Pairs that no run compares (two references, documents of
// different groups) do not meet.
ComparePassCounts compare_with_sample(Corpus& corpus, const SimilarityOptions& options,
                                      const FeatureExtractor& extractor,
                                      const std::vector<SampledDocument>& sample,
                                      const ComparePassOptions& pass);

}  // namespace benzer
