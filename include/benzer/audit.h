// How much of what there is a run would find: recall on the user's own documents, against the exact
// answer for a sample of them.
//
// Every document that is drawn is compared exactly with every document of the corpus, and for every
// similar pair the bands and the signature check say whether a run with these options finds it.
// Likewise for the documents of an index.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "benzer/banding.h"
#include "benzer/corpus.h"
#include "benzer/dedup.h"
#include "benzer/index.h"
#include "benzer/similarity.h"

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

// What a run on a corpus will cost with one plan or another, from a sample that is compared with
// everything: how similar unrelated documents are there, how many near-copies there are, and so how
// many candidates the bands will bring together.
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

// A person's judgement of the pairs of a report, and what follows from it.
struct ReviewText {
  struct Piece {
    std::string text;
    bool own = false;  // the other text of the pair has nothing like it
  };
  std::string id_json;
  std::string source;
  std::uint64_t line = 0;
  std::vector<Piece> pieces;
};

struct ReviewPair {
  ReviewText a, b;
  double score = 0;
  bool near = false;  // among the pairs nearest to the threshold; else a removal picked at random
};

struct Review {
  Threshold threshold = Threshold::parse("0.8");
  std::vector<ReviewPair> pairs;  // the nearest to the threshold first, then removals; each once
};

// Reads what report_json() wrote. Throws Error(kBadInput) for anything else.
Review read_review(std::string_view report_json);

// A saved answer: of the pair with these ids (as JSON) and this score.
struct SavedAnswer {
  std::string a_json, b_json;
  double score = 0;
  bool same = false;
};

// Reads answers, {"a","b","score","same"} a line. Throws Error(kBadInput) for anything else, with
// the number of the line.
std::vector<SavedAnswer> read_answers(std::string_view lines);

// The answer to each pair of the review, where there is one. Each answer is given to one pair.
std::vector<std::optional<bool>> match_answers(const Review& review,
                                               std::span<const SavedAnswer> answers);

struct Judgement {
  double score = 0;
  bool near = false;
  bool same = false;  // the person holds the two for copies
};

struct ReviewResult {
  struct Tally {
    std::uint64_t judged = 0;
    std::uint64_t same = 0;
    Share share;  // Wilson's interval (Wilson 1927)
  };
  Tally above;     // nearest to the threshold, at or above it: the precision there
  Tally below;     // nearest to it, below: what a lower threshold would rightly remove
  Tally removals;  // picked at random: the precision of the run
  // Judgements that a threshold contradicts: copies below it, others at or above it.
  std::uint64_t contradictions = 0;
  // The threshold that contradicts least, where it is another one: of all such the nearest, as a
  // short decimal.
  std::optional<Threshold> suggested;
  std::uint64_t contradictions_of_suggested = 0;
};

ReviewResult evaluate(std::span<const Judgement> judgements, const Threshold& threshold);

}  // namespace benzer
