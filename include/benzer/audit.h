// How much of what there is a run would find: recall on the user's own documents, against the exact
// answer for a sample of them.
//
// Every document that is drawn is compared exactly with every document of the corpus, and for every
// similar pair the bands and the signature check say whether a run with these options finds it.
// Likewise for the documents of an index.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "benzer/corpus.h"
#include "benzer/dedup.h"
#include "benzer/index.h"

namespace benzer {

struct AuditOptions : SimilarityOptions {
  std::uint32_t sample = 1000;  // documents to draw, of those with features; at least 1
  std::uint64_t seed = 0;       // another one draws other documents
  // Receives every similar pair of which at least one document was drawn, once, by the number of
  // the document met last. found: a run with these options reports it. May be empty.
  std::function<void(const ScoredPair& pair, bool found)> pairs;
};

// A share and the interval that covers the true one in 95 of 100 samples.
struct Share {
  double value = 0;
  double low = 0;
  double high = 1;
};

struct Recall {
  std::uint64_t pairs = 0;  // similar ones, exactly; a pair of two drawn documents counts once
  std::uint64_t found = 0;  // of these, by a run with these options
  double predicted = 0;     // what the curve says for pairs of these scores
  Share share;              // of the pairs in the whole corpus; 0 to 1 where the sample has none
};

// The similar pairs with from <= J < to; or, below the threshold, the pairs that are not similar.
struct ScoreRange {
  double from = 0;
  double to = 0;
  std::uint64_t pairs = 0;
  std::uint64_t found = 0;  // not counted below the threshold
  double predicted = 0;     // the share that shares a band by the curve
};

struct AuditFigures {
  double recall_at_threshold = 0;  // predicted, as by a run
  std::uint64_t documents = 0;     // references not among them
  std::uint64_t empty = 0;         // without features
  std::uint64_t taking_part = 0;   // documents and references that a run compares: the population
  std::uint64_t sampled = 0;

  Recall all;        // pairs of equal feature sets among them, which no run can miss
  Recall different;  // pairs of different feature sets: what bands are for

  std::uint64_t equal_pairs = 0;   // J = 1
  std::vector<ScoreRange> ranges;  // from the threshold on, in steps of 0.05; different sets only
  std::vector<ScoreRange> below;   // the four steps below it, the nearest first

  std::uint64_t sampled_documents = 0;  // of the drawn, those that are no references
  std::uint64_t with_similar = 0;       // of these, those with at least one similar document
  Share similar_share;                  // of all documents that take part
};

struct AuditResult : AuditFigures {
  Config config;  // complete: with the bands that were used
  std::uint64_t references = 0;
  std::uint64_t short_documents = 0;
};

// Reads the corpus twice. Memory: up to 80 bytes per feature of the sample, and what the corpus
// holds itself. Throws Error for options that cannot be carried out. The same for any number of
// threads.
AuditResult audit(Corpus& corpus, const AuditOptions& options);

struct IndexAuditOptions : WholeIndexOptions {
  std::uint32_t sample = 1000;  // documents to draw, of those with features; at least 1
  std::uint64_t seed = 0;       // another one draws other documents
  // Receives every similar pair of which at least one document was drawn, once. found: by
  // find_similar_documents(). May be empty.
  std::function<void(const ScoredIds& pair, bool found)> pairs = {};
};

// Compares the drawn documents with all by the features that the index holds, and asks for each
// which of the similar ones find_similar_documents() finds, of the index as it was when this was
// asked. Which documents are drawn depends on their ids and the seed. Memory: up to 80 bytes per
// feature of the sample, 4 a document. The same for any number of threads.
AuditFigures audit(const Index& index, const IndexAuditOptions& options);

}  // namespace benzer
