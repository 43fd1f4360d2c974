// Pass 1: reads every document once and keeps what finding candidates needs, about 340 bytes each
// at 128 slots in 16 bands.
#pragma once

#include <cstdint>
#include <vector>

#include "benzer/corpus.h"
#include "benzer/dedup.h"
#include "benzer/features.h"

#include "base/chunked_rows.h"

namespace benzer {

// Equal for documents with the same features as a bag: sums, so that the order does not matter.
// Documents with the same set but other repeats differ here and meet again as candidates with J
// = 1.
struct FeatureFingerprint {
  std::uint64_t sum = 0;
  std::uint64_t product_sum = 0;
  friend auto operator<=>(const FeatureFingerprint&, const FeatureFingerprint&) = default;
};

struct DocumentFacts {
  FeatureFingerprint fingerprint;
  std::uint64_t bytes = 0;
  std::uint64_t group = 0;     // a hash of DocumentView::group; 0: none
  std::uint32_t features = 0;  // with repeats; 0: empty
  bool is_short = false;
};

// What is known of all documents after pass 1; the row number is the document's.
struct SketchTable {
  SketchTable(int bands, int slots, std::size_t number_fields);

  ChunkedRows<DocumentFacts> facts{1};
  ChunkedRows<long double> numbers;  // a row per document: what keep rules ask for
  ChunkedRows<std::uint64_t> keys;   // a row per document: its band keys
  // A row per document: the low byte of every slot. Two different slots agree in it once in 256
  // times, so an estimate from it is never below the one from full slots.
  ChunkedRows<std::uint8_t> cut_signatures;
  std::vector<FeatureSet> sets;  // only in exact mode, instead of keys and cut signatures

  std::uint32_t references = 0;  // the first so many documents
  std::uint64_t replaced = 0;
  std::uint64_t only_common = 0;
  std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(facts.size()); }
};

// keep_sets: keep the unique features of every document (for the exact join) and no sketches.
// number_fields: how many numbers the documents bring for keep rules.
SketchTable sketch_corpus(Corpus& corpus, const SimilarityOptions& options,
                          const FeatureExtractor& extractor, const Banding& banding, bool keep_sets,
                          std::size_t number_fields);

// Throws Error(kInterrupted) if the caller asked to stop.
void check_stop(const SimilarityOptions& options);

}  // namespace benzer
