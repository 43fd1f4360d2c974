// What a run does before all else where +drop-common asks for it: it reads every document and
// counts in how many each feature occurs.
#pragma once

#include "benzer/corpus.h"
#include "benzer/dedup.h"
#include "benzer/features.h"

namespace benzer {

// The extractor of a run. With +drop-common it scans the corpus, and what comes then must scan it
// again: see read_corpus(). Documents of all groups count, and references.
FeatureExtractor make_extractor(Corpus& corpus, const SimilarityOptions& options);

// The corpus' scan(), or scan_again() if make_extractor() has read it already.
void read_corpus(Corpus& corpus, const FeatureExtractor& extractor, DocumentVisitor& visitor,
                 int threads);

}  // namespace benzer
