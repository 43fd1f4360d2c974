// The second reading: every document of the corpus against the whole sample, exactly.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "benzer/corpus.h"
#include "benzer/dedup.h"

#include "eval/sample.h"

namespace benzer {

// A document and a sampled one that share features.
struct Meeting {
  std::uint32_t document = 0;
  std::uint32_t sampled = 0;  // its place in the sample
  std::uint32_t intersection = 0;
  std::uint32_t set_union = 0;
  bool similar = false;  // it reaches the threshold
  bool found = false;    // and a run finds it: not said of pairs that are not similar
  double jaccard() const noexcept { return static_cast<double>(intersection) / set_union; }
};

// A document that takes part.
struct Participant {
  std::uint32_t document = 0;
  std::uint64_t set_key = 0;
};

struct ComparePassCounts {
  std::uint64_t documents = 0;  // references not among them
  std::uint64_t references = 0;
  std::uint64_t empty = 0;
  std::uint64_t short_documents = 0;
  std::uint64_t taking_part = 0;
};

struct ComparePassOptions {
  double least_similarity = 0;  // pairs below are passed over; 0: those that share nothing
  bool find = false;            // say which similar pairs a run finds; needs the bands
  // Called in the order of the documents, from one thread at a time: participant(), then meeting()
  // for each of its meetings. Either may be empty.
  std::function<void(const Participant&)> participant = {};
  std::function<void(const Meeting&)> meeting = {};
};

// A sampled document does not meet itself; of two sampled ones each meets the other. Pairs that no
// run compares (two references, documents of different groups) do not meet.
ComparePassCounts compare_with_sample(Corpus& corpus, const SimilarityOptions& options,
                                      const FeatureExtractor& extractor,
                                      const std::vector<SampledDocument>& sample,
                                      const ComparePassOptions& pass);

}  // namespace benzer
