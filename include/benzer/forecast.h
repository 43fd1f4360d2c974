// What a run on a corpus will cost with one plan or another, from a sample that is compared with
// everything: how similar unrelated documents are there, how many near-copies there are, and so how
// many candidates the bands will bring together.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "benzer/banding.h"
#include "benzer/corpus.h"
#include "benzer/dedup.h"

namespace benzer {

struct ForecastOptions : SimilarityOptions {
  std::uint32_t sample = 1000;  // documents to draw, of those with features; at least 1
  std::uint64_t seed = 0;       // another one draws other documents
  // For a corpus of so many documents of the same kind; 0: for this one.
  std::uint64_t documents = 0;
};

// An expected number and the interval that covers it in 95 of 100 samples.
struct Estimate {
  double value = 0;
  double low = 0;
  double high = 0;
};

// What a run with these bands does. Pairs are of different feature sets, as a run counts them.
struct RunForecast {
  Banding banding;
  double band_collision_rate = 0;  // of two documents picked at random, by one band
  Estimate candidates;             // comparisons of signatures: those of SimilarityCounts
  Estimate chance;                 // of these, the ones of pairs below the threshold
  Estimate compared;               // pairs whose signatures are near enough
  Estimate read_again;             // documents in at least one compared pair
};

// So many of the pairs of a drawn document and a different feature set have from <= J < to, or J =
// 1 in the last range; the first range, 0 to 0, holds those that share nothing.
struct SimilarityRange {
  double from = 0;
  double to = 0;
  std::uint64_t pairs = 0;
};

struct Forecast {
  std::uint64_t documents = 0;      // in the corpus
  std::uint64_t for_documents = 0;  // what the runs are forecast for
  std::uint64_t empty = 0;          // without features
  std::uint64_t taking_part = 0;
  std::uint64_t distinct_sets = 0;  // of those that take part; counted, not estimated
  std::uint64_t sampled = 0;
  std::uint64_t pairs = 0;  // that the sample was compared in
  std::vector<SimilarityRange> background;
  Estimate similar;  // pairs at or above the threshold: the candidates that are no waste
  std::vector<RunForecast> runs;
};

// One forecast for each banding; options.config.banding is not used. Reads the corpus twice.
//
// Pairs by chance grow with the square of the documents. Near-copies are taken to grow with the
// documents, as if new ones brought their own; should they copy the same texts, they grow with the
// square too, and the upper bounds allow for that. A sample cannot see what is rare: a passage that
// one document in ten thousand shares with thousands of others.
//
// Memory: what audit() takes, 16 to 32 bytes a document and 3 kB a drawn document.
// The same for any number of threads.
Forecast forecast(Corpus& corpus, const ForecastOptions& options,
                  std::span<const Banding> bandings);

}  // namespace benzer
