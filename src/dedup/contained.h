// Finds candidates for containment: reads all documents a second time, looks their features up
// among the anchors of all sets, and joins what it finds (docs/decisions/0037).
#pragma once

#include "benzer/corpus.h"
#include "benzer/dedup.h"

#include "dedup/candidates.h"
#include "dedup/distinct_sets.h"

namespace benzer {

// Which pairs are wanted.
enum class Contained {
  kSmaller,  // of which the smaller set is contained in the larger one
  // Of which the later set in keep order is contained in the earlier one. The pairs of anchors with
  // very many of them are not compared; Candidates::common_anchors has these anchors.
  kLater
};

// Finds the candidates. `corpus` is that of `sketched`. A set is contained, or nearly, in another
// one that has as many of its anchors as are needed.
Candidates find_contained(Corpus& corpus, const SketchedCorpus& sketched, const AnchorPlan& plan,
                          const SimilarityOptions& options, Contained wanted);

}  // namespace benzer
