// Counts in how many documents each feature occurs, before all other passes, if the features of a
// run have +drop-common or +tf-idf.
#pragma once

#include "benzer/corpus.h"
#include "benzer/dedup.h"
#include "benzer/features.h"

namespace benzer {

// Makes the extractor of a run. With +drop-common or +tf-idf it scans the corpus, so that the next
// pass must scan it again: see read_corpus(). It counts documents of all groups, and references.
FeatureExtractor make_extractor(Corpus& corpus, const SimilarityOptions& options);

// Calls the corpus' scan(), or scan_again() if make_extractor() has scanned it already.
void read_corpus(Corpus& corpus, const FeatureExtractor& extractor, DocumentVisitor& visitor,
                 int threads);

}  // namespace benzer
