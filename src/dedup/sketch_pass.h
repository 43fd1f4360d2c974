// Pass 1: reads every document once and keeps what finding candidates needs.
#pragma once

#include <cstdint>

#include "benzer/corpus.h"
#include "benzer/dedup.h"

#include "dedup/sketch_table.h"

namespace benzer {

// What the pass makes of each document. The referenced objects must outlive the pass.
struct SketchTask {
  const SimilarityOptions& options;
  const FeatureExtractor& extractor;
  std::size_t number_fields = 0;  // numbers that each document brings for keep rules
  // Keep the unique features of every document (for an exact join) and no sketches. Pictures keep
  // both, since reading them again would take far longer than all else.
  bool sets_only = false;

  // One band of one row where the features are compared as they are, and none are planned.
  Banding banding() const { return options.config.banding.value_or(Banding{1, 1}); }
};

SketchTable sketch_corpus(Corpus& corpus, const SketchTask& task, Workspace& workspace);

// Runs the pass for what the corpus saves of it. Counts the documents, and keeps no table of them.
void sketch_to_save(Corpus& corpus, const SketchTask& task, SimilarityCounts& counts);

// Adds the document, its bytes, and whether it is empty or short.
void count_document(const DocumentFacts& facts, SimilarityCounts& counts) noexcept;

}  // namespace benzer
