// Runs pass 1: reads every document once and keeps what it takes to find candidates.
#pragma once

#include <cstdint>

#include "benzer/corpus.h"
#include "benzer/dedup.h"

#include "dedup/sketch_table.h"

namespace benzer {

// What the pass computes for each document. The referenced objects must outlive the pass.
struct SketchTask {
  const SimilarityOptions& options;
  const FeatureExtractor& extractor;
  std::size_t number_fields = 0;  // how many numbers each document has for keep rules
  // Its size follows them, as one more number: the pixels of its picture, or the number of its
  // different features.
  bool with_size = false;
  // Keep the unique features of every document (for an exact join) and no sketches. If this is
  // false, images that are sketched keep both, since reading them again takes far longer than all
  // else.
  bool sets_only = false;
  // With containment: how many anchors to keep, in place of band keys and signatures.
  int anchors = 0;
  // The key of the fingerprints; null: one of this process or, where sketches are kept, a known
  // one.
  const struct Secret* fingerprint_key = nullptr;

  // Returns the planned bands; one band of one row if there are none, because the features are
  // compared as they are.
  Banding banding() const { return options.config.banding.value_or(Banding{1, 1}); }
};

SketchTable sketch_corpus(Corpus& corpus, const SketchTask& task, Workspace& workspace);

// Runs the pass only for what the corpus saves of it. Counts the documents, and keeps no table.
void sketch_to_save(Corpus& corpus, const SketchTask& task, SimilarityCounts& counts);

// Adds one document to the counts: its bytes, and whether it is empty or short.
void count_document(const DocumentFacts& facts, SimilarityCounts& counts) noexcept;

}  // namespace benzer
