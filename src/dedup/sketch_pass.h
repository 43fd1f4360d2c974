// Pass 1: reads every document once and keeps what finding candidates needs.
#pragma once

#include <cstdint>

#include "benzer/corpus.h"
#include "benzer/dedup.h"

#include "dedup/sketch_table.h"

namespace benzer {

// sets_only: keep the unique features of every document (for an exact join) and no sketches. Of
// pictures both are kept, since reading them once more would take far longer than all else.
// number_fields: how many numbers the documents bring for keep rules.
SketchTable sketch_corpus(Corpus& corpus, const SimilarityOptions& options,
                          const FeatureExtractor& extractor, const Banding& banding, bool sets_only,
                          std::size_t number_fields, Workspace& workspace);

// The same without a table, for what the corpus saves of it.
void sketch_to_save(Corpus& corpus, const SimilarityOptions& options,
                    const FeatureExtractor& extractor, const Banding& banding,
                    std::size_t number_fields, SimilarityCounts& counts);

// Adds the document, its bytes, and whether it is empty or short.
void count_document(const DocumentFacts& facts, SimilarityCounts& counts) noexcept;

}  // namespace benzer
