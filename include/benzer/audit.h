// Measures on the user's own documents what a run or an index finds and costs: recall against the
// exact answer for a sample, forecasts of the work, and what people say about the removals.
//
// Every document that is drawn is compared exactly with every document of the corpus. For every
// similar pair the bands and the signature check then say whether a run with these options finds
// it. The same can be asked of the documents of an index.
//
//     benzer::FileCorpus corpus({.inputs = {"news.jsonl"}});  // benzer/input.h
//     benzer::AuditOptions options;
//     options.threshold = benzer::Threshold::parse("0.8");
//     const benzer::AuditResult result = benzer::audit(corpus, options);
//     std::cout << result.different.share.value << " of the similar pairs are found";
#pragma once

#include <cstddef>
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

// Options of an audit of a corpus: those of the run that is audited, and the sample.
struct AuditOptions : SimilarityOptions {
  // How many documents to draw of those that have features; at least 1. All are drawn if there are
  // fewer.
  std::uint32_t sample = 1000;
  // Another seed draws other documents.
  std::uint64_t seed = 0;
  // Called once for every similar pair of which at least one document was drawn, ordered by the
  // document of the pair that is read last, from one thread at a time. found: whether a run with
  // these options reports the pair. May be empty.
  std::function<void(const ScoredPair& pair, bool found)> pairs;
};

// A share, from 0 to 1, and the interval that covers the true one in 95 of 100 samples.
struct Share {
  // The share that the sample shows.
  double value = 0;
  double low = 0;
  double high = 1;
};

// How many of the similar pairs are found.
struct Recall {
  // Similar pairs in the sample, decided exactly. A pair of two drawn documents counts once.
  std::uint64_t pairs = 0;
  // Of these, the pairs that a run with these options finds.
  std::uint64_t found = 0;
  // The share that the curve of the bands predicts for pairs with these scores.
  double predicted = 0;
  // The share of the pairs in the whole corpus that a run finds; 0 to 1 if the sample has no pair.
  Share share;
};

// The pairs whose score is in a range: from <= J < to. In ranges at or above the threshold these
// are similar pairs, in ranges below it pairs that are not similar.
struct ScoreRange {
  double from = 0;
  double to = 0;
  std::uint64_t pairs = 0;
  // Similar pairs that a run finds; not counted below the threshold.
  std::uint64_t found = 0;
  // The share of the pairs that share a band, by the curve.
  double predicted = 0;
};

// What an audit has found.
struct AuditFigures {
  // The predicted recall at the threshold, as a run prints it.
  double recall_at_threshold = 0;
  // Documents, without references.
  std::uint64_t documents = 0;
  // Documents without features.
  std::uint64_t empty = 0;
  // Documents and references that a run compares: the population that the sample is drawn from.
  std::uint64_t taking_part = 0;
  // Documents that were drawn.
  std::uint64_t sampled = 0;

  // Recall over all similar pairs. It includes pairs of equal feature sets, which only the keys of
  // an index with containment can miss.
  Recall all;
  // Recall over pairs of different feature sets, which is what bands are for.
  Recall different;
  // Only of an index with containment, where it depends on who asks: the documents that are similar
  // to a drawn one, and which of them a query for the drawn one finds. A pair of two drawn
  // documents counts twice here.
  std::optional<Recall> queries;

  // Pairs of equal feature sets (J = 1).
  std::uint64_t equal_pairs = 0;
  // Of these, the pairs that a run finds.
  std::uint64_t equal_found = 0;
  // The share of these pairs that is predicted to be found: 1, except with keys.
  double equal_predicted = 0;
  // Similar pairs of different sets by score: from the threshold on, in steps of 0.05.
  std::vector<ScoreRange> ranges;
  // The four steps below the threshold, the nearest first; fewer near 0.
  std::vector<ScoreRange> below;

  // Drawn documents that are not references.
  std::uint64_t sampled_documents = 0;
  // Of these, the documents with at least one similar document.
  std::uint64_t with_similar = 0;
  // The share of such documents among all that take part, without references.
  Share similar_share;
};

// What an audit of a corpus has found.
struct AuditResult : AuditFigures {
  // The configuration, completed with the bands that were used.
  Config config;
  // With containment: the anchors that were used.
  std::optional<AnchorPlan> anchors;
  // References of the corpus.
  std::uint64_t references = 0;
  // Documents that were short (ShortPolicy).
  std::uint64_t short_documents = 0;
};

// Audits what deduplicate() or find_pairs() with these options would find in a corpus, which must
// not have been scanned before. Reads the corpus twice: once to draw the sample, and once to
// compare it with all documents. The features must be a set. The result is the same for any number
// of threads.
//
// Throws Error(kInvalidArgument) for options that cannot be carried out and for a sample of 0,
// Error(kInterrupted), and what the corpus throws. Memory: up to 80 bytes for each feature of the
// sample, and what the corpus holds itself.
AuditResult audit(Corpus& corpus, const AuditOptions& options);

// An audit whose documents are compared elsewhere, on several machines.

// Pairs of one drawn document that have the same score, and of which the same is true.
struct AuditedPairs {
  // Which of the drawn documents it is, from 0; those that are references come first.
  std::uint64_t drawn = 0;
  // How many pairs.
  std::uint64_t pairs = 0;
  // Between 0 and 1, and not below least_audited_score().
  double score = 0;
  // Whether they reach the threshold.
  bool similar = false;
  // Whether a run with these options finds them.
  bool found = false;
  // Whether the feature sets are equal.
  bool equal = false;
  // The other documents of these pairs are drawn, too, and the pairs are given for them as well.
  bool again = false;
};

// The lowest score that an audit counts. Pairs with lower scores must not be given.
double least_audited_score(const Threshold& threshold) noexcept;

// Sums up pairs of `counts.sampled` drawn documents with all others. counts: the numbers of
// documents, which are in the result, too; its shares and ranges must be empty. drawn_references:
// how many of the drawn documents are references. Throws Error(kInvalidArgument) for options that
// cannot be carried out, for counts that contradict each other, and for pairs that are not of a
// drawn document or have no such score.
AuditResult sum_up_audit(const AuditOptions& options, const AuditResult& counts,
                         std::span<const AuditedPairs> pairs, std::uint64_t drawn_references);

// Options of an audit of an index: those of the queries that are audited, and the sample.
struct IndexAuditOptions : WholeIndexOptions {
  // How many documents to draw of those that have features; at least 1.
  std::uint32_t sample = 1000;
  // Another seed draws other documents.
  std::uint64_t seed = 0;
  // Called once for every similar pair of which at least one document was drawn, from one thread at
  // a time. found: whether for_each_similar_pair() finds the pair, as audit() counts it. May be
  // empty.
  std::function<void(const ScoredIds& pair, bool found)> pairs = {};
};

// Audits what for_each_similar_pair() finds in an index, as of the moment of the call. Drawn
// documents are compared with all others by the features that the index holds, and each of them is
// looked up as a query. Documents that have expired are as if they were not there. Which documents
// are drawn depends on their ids and the seed only. Decisions are not followed. The result is the
// same for any number of threads.
//
// Without containment find_similar_documents() finds the same, whichever of the two is the query.
// With containment the document with more features, of all its fields, looks up the other one, and
// a pair of equally large documents counts as found if each finds the other. So the order of the
// documents does not matter. AuditFigures::queries is about find_similar_documents().
//
// Throws Error(kInvalidArgument) for a sample of 0, a threshold below min_threshold without
// allow_low_recall, and a schema with image hashes, of which an index misses none;
// Error(kInterrupted); and what the index throws. Memory: up to 80 bytes for each feature of the
// sample, up to 8 bytes a document, and 8 more a copy.
AuditFigures audit(const Index& index, const IndexAuditOptions& options);

// Options of a forecast of what a run on a corpus will cost with one plan of bands or another. The
// forecast compares a sample with everything, to see how similar unrelated documents are there, how
// many near-copies there are, and so how many candidates the bands will bring together.
struct ForecastOptions : SimilarityOptions {
  // How many documents to draw of those that have features; at least 1.
  std::uint32_t sample = 1000;
  // Another seed draws other documents.
  std::uint64_t seed = 0;
  // The size, in documents, of the corpus that the forecast is for, which is of the same kind as
  // this one; 0 means this corpus.
  std::uint64_t documents = 0;
};

// An expected number and the interval that covers it in 95 of 100 samples.
struct Estimate {
  // The expected number.
  double value = 0;
  double low = 0;
  double high = 0;
};

// What a run with these bands is expected to do. Pairs are of different feature sets, as a run
// counts them.
struct RunForecast {
  // The bands that the run would use.
  Banding banding;
  // Probability that a pair picked at random of those that may be compared has the same key in one
  // band.
  double band_collision_rate = 0;
  // Comparisons of signatures: SimilarityCounts::candidates.
  Estimate candidates;
  // Of these, the comparisons of pairs below the threshold.
  Estimate chance;
  // Pairs whose signatures are similar enough to be compared exactly.
  Estimate compared;
  // Documents in at least one such pair, which are read a second time.
  Estimate read_again;
};

// How many of the compared pairs have a similarity in a range: from <= J < to, and J = 1 in the
// last range. The first range, 0 to 0, has the pairs that share nothing. A pair is a drawn document
// and a different feature set.
struct SimilarityRange {
  // Both between 0 and 1.
  double from = 0;
  double to = 0;
  std::uint64_t pairs = 0;
};

// A forecast, and what the sample has shown.
struct Forecast {
  // Documents of the corpus, without references.
  std::uint64_t documents = 0;
  // References of the corpus. The runs that are forecast have the same ones.
  std::uint64_t references = 0;
  // Documents of the corpus that the runs are forecast for, without references.
  std::uint64_t for_documents = 0;
  // Documents without features.
  std::uint64_t empty = 0;
  // Documents and references that a run compares.
  std::uint64_t taking_part = 0;
  // Different documents of those that take part, without references; counted, not estimated. As in
  // a run, documents are equal if they have the same group and the same features, each as often.
  std::uint64_t distinct_sets = 0;
  // Documents and references that were drawn.
  std::uint64_t sampled = 0;
  // Pairs of a drawn document and a different feature set that were compared. Documents of
  // different groups, and two references, are no pair: no run compares them.
  std::uint64_t pairs = 0;
  // These pairs by similarity.
  std::vector<SimilarityRange> background;
  // Pairs at or above the threshold: the candidates that are not wasted work.
  Estimate similar;
  // One forecast for each banding that was asked for.
  std::vector<RunForecast> runs;
};

// Forecasts a run for each banding; options.config.banding is not used. Reads the corpus, which
// must not have been scanned before, twice. The result is the same for any number of threads.
//
// Pairs by chance grow with the square of the documents. Near-copies are taken to grow with the
// documents, as if new ones brought their own. If they copy the same texts, they grow with the
// square too, and the upper bounds allow for that. References stay as they are, so pairs with them
// grow with the documents. A sample cannot see what is rare, such as a
// passage that one document in ten thousand shares with thousands of others.
//
// Throws what audit() throws. Memory: what audit() takes, 16 to 32 bytes a document, and 3 kB for
// each drawn document; with references twice these.
Forecast forecast(Corpus& corpus, const ForecastOptions& options,
                  std::span<const Banding> bandings);

// A person's judgement of the pairs of a report, and what follows from it.

// One document of a pair, for people to read.
struct ReviewText {
  // A part of a text.
  struct Piece {
    std::string text;
    // True if the other text of the pair has nothing like it.
    bool own = false;
  };
  // The excerpt of one field that the report has.
  struct Field {
    // Its name in an index; empty for documents of files, which have one field.
    std::string name;
    // The excerpt, cut into pieces; for a picture one piece that describes the file.
    std::vector<Piece> pieces;
    // Where the excerpt begins and ends in the whole text, and the length of the whole, in bytes.
    // All are 0 for pictures.
    std::uint64_t begin = 0, end = 0, size = 0;
    // False if the excerpt was not compared with the other text, so that no piece is `own`.
    bool marked = true;
  };
  // The id as one JSON token.
  std::string id_json;
  // The input file and the line in it, as in DocumentLabel.
  std::string source;
  std::uint64_t line = 0;
  // The text, field by field. Both documents of a pair have the same fields.
  std::vector<Field> fields;
};

// A pair to be judged.
struct ReviewPair {
  // The two documents; for a removal a is the keeper.
  ReviewText a, b;
  // Exact score of the pair.
  double score = 0;
  // Whether it is one of the pairs nearest to the threshold.
  bool near = false;
};

// The pairs of a report that people are asked about.
struct Review {
  // The threshold of the run.
  Threshold threshold = Threshold::parse("0.8");
  // The pairs nearest to the threshold first, then the removals picked at random that are not among
  // them.
  std::vector<ReviewPair> pairs;
  // All removals picked at random, in a random order, as places in `pairs`. Absent if the report is
  // of an earlier version of Benzer, which picked none.
  std::optional<std::vector<std::size_t>> sample;
  // All removals that the report shows, cluster by cluster; some of them are also in `pairs`.
  std::vector<ReviewPair> removals;
};

// Reads the JSON that report_json() (benzer/report.h) wrote. Throws Error(kBadInput) for anything
// else.
Review read_review(std::string_view report_json);

// A saved answer about the pair with these ids, as JSON tokens, and this score.
struct SavedAnswer {
  std::string a_json, b_json;
  double score = 0;
  // Whether the person takes the two documents for copies of each other.
  bool same = false;
};

// Reads saved answers: {"a","b","score","same"} on each line; empty lines are skipped. Throws
// Error(kBadInput), with the number of the line, for anything else.
std::vector<SavedAnswer> read_answers(std::string_view lines);

// Returns the saved answer to each pair of the review, or nothing for a pair without one. Ids must
// be equal and scores within 1e-9. Each answer is used for one pair.
std::vector<std::optional<bool>> match_answers(const Review& review,
                                               std::span<const SavedAnswer> answers);

// A person's judgement of one pair.
struct Judgement {
  // Exact score of the pair.
  double score = 0;
  // As in ReviewPair.
  bool near = false;
  // Whether the person takes the two documents for copies of each other.
  bool same = false;
  // Whether it is a removal picked at random. It may also be one of the nearest pairs.
  bool sampled = false;
};

// What the judgements of a review say.
struct ReviewResult {
  // Judged pairs of one kind.
  struct Tally {
    // Pairs that were judged.
    std::uint64_t judged = 0;
    // Of these, the pairs that the person takes for copies.
    std::uint64_t same = 0;
    // Their share, with Wilson's interval (Wilson 1927); 0 to 1 if no pair was judged.
    Share share;
  };
  // The pairs nearest to the threshold, at or above it: the precision there.
  Tally above;
  // The pairs nearest to the threshold, below it: what a lower threshold would rightly remove.
  Tally below;
  // Removals picked at random: the precision of the run, if those were judged that were picked
  // first. Documents that were removed without a keeper (ShortPolicy::kDrop) are not among them.
  Tally removals;
  // Of `removals`, those whose score with their keeper is below the threshold. They were removed by
  // a chain of similar documents (Clustering::kComponents).
  Tally chained;
  // Judgements that contradict the threshold: copies below it, and other pairs at or above it. A
  // removal by a chain counts only if it is one of the pairs nearest to the threshold: whether it
  // is a copy says nothing about the pairs that made the chain.
  std::uint64_t contradictions = 0;
  // The threshold that the fewest judgements contradict; of several the nearest to the present one,
  // as a decimal of two digits if there is one. It is at most 0.01 below or above all scores that
  // were judged. Absent if the present one is as good.
  std::optional<Threshold> suggested;
  // The judgements that contradict `suggested`.
  std::uint64_t contradictions_of_suggested = 0;
};

// Sums up judgements of pairs from a run with this threshold. Cost: quadratic in the judgements.
ReviewResult evaluate(std::span<const Judgement> judgements, const Threshold& threshold);

}  // namespace benzer
