// Collects and prints the evidence of a run: what was removed, because of which keeper, and whether
// that can be trusted.
//
// collect_report() chooses what people should see and reads those documents once more. The page for
// people and its JSON twin for programs are both printed from the same Report. They depend on the
// corpus, the options and the facts only, and for an index on its decisions: on no time, no machine
// and no number of threads.
//
//     options.collect = benzer::Collect::kCompared;  // benzer/dedup.h
//     const benzer::DedupResult result = benzer::deduplicate(corpus, options);
//     benzer::RunFacts facts;
//     facts.command = {"my-tool", "news.jsonl"};
//     facts.inputs = {"news.jsonl"};
//     const benzer::Report report = benzer::collect_report(corpus, options, result, facts);
//     benzer::OutputFile page("report.html");  // benzer/output.h
//     page.write(benzer::report_html(report));
//     page.commit();
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "benzer/corpus.h"
#include "benzer/dedup.h"
#include "benzer/features.h"
#include "benzer/index.h"
#include "benzer/input.h"
#include "benzer/schema.h"

namespace benzer {

// A command that the reader may run next.
struct NextStep {
  // What the command is for, as a sentence.
  std::string sentence;
  // Its words, the program first.
  std::vector<std::string> command;
};

// What only the caller knows about a run. All of it is printed; none of it changes what is chosen.
struct RunFacts {
  // The words of the command, such that the run can be repeated with them.
  std::vector<std::string> command;
  // Inputs and references, as the user named them; of an index its location.
  std::vector<std::string> inputs, references;
  // The output and the list of removed documents; empty if it is not written.
  std::string output, removed_list;
  // Whether the run removes nothing.
  bool dry_run = false;
  // The field that makes groups: only documents with an equal value were compared. Empty if all
  // were.
  std::string group_field;
  // What was counted while the input was read (FileCorpus::counts()); not for an index.
  InputCounts input;
  // Sentences about bad input, the first ones.
  std::vector<std::string> problems;
  // For an index whose removal was stopped: how many documents are removed so far. Absent if all
  // are.
  std::optional<std::uint64_t> removed_so_far;
  // With dry_run: documents were being removed when the report was made, so some may be gone.
  bool is_removing = false;
  // What may be done next.
  std::vector<NextStep> next_steps;
};

// A picture of the page.
struct ReportedPicture {
  // Width and height of the original in pixels, upright.
  std::uint32_t width = 0, height = 0;
  // The format of the file: "JPEG", "PNG" and so on.
  std::string format;
  // The picture made small, as the bytes of a JPEG file; empty if it cannot be shown.
  std::string jpeg;
  // Why it cannot be shown, or only in grey; empty if it is shown as it is. The width and height of
  // a picture that cannot be shown may be 0, for unknown.
  std::string problem;
};

// A document of the page.
struct ReportedDocument {
  // Its number in the corpus; absent for an index.
  std::optional<std::uint32_t> number;
  // Its id, source and line, as in DocumentLabel. A very long id is cut, and then a string.
  std::string id_json;
  std::string source;
  std::uint64_t line = 0;
  // Length of the text, or of all values, in bytes.
  std::uint64_t bytes = 0;
  // The picture, if it is one and is shown; else null.
  std::shared_ptr<const ReportedPicture> picture;
};

// A part of a text, cut into pieces by whether the other document of the pair has them too.
struct ReportedText {
  using Mark = benzer::Mark;
  using Piece = MarkedPiece;
  // The part, piece by piece.
  std::vector<Piece> pieces;
  // Where the part begins and ends, in bytes of the readable text, or of the values with one on
  // each line.
  std::uint64_t begin = 0, end = 0;
  // Length of the whole, in bytes.
  std::uint64_t size = 0;
  // False if the part is so far into a long text that it was not compared, so that nothing is
  // marked.
  bool marked = true;
};

// A field of two documents, side by side.
struct ReportedField {
  // The name of the field in an index. Documents of files are one field with an empty name.
  std::string name;
  // Exact Jaccard similarity of the field, or its containment.
  double score = 0;
  // Whether the readable texts are equal byte for byte.
  bool same_text = false;
  // Different features that both have, and that only one has.
  std::uint64_t shared = 0, only_a = 0, only_b = 0;
  // Of features with weights: the sum of the smaller weights of each feature, and of the larger
  // ones, whose quotient is the score. Otherwise 0.
  double shared_weight = 0, all_weight = 0;
  // Whether text_a and text_b are without the markup of the documents (+html).
  bool readable = false;
  // The part of each text that is shown: all of a text of at most 2,000 bytes, else 1,600 bytes
  // with the first difference.
  ReportedText text_a, text_b;
};

// Two documents, side by side.
struct ReportedPair {
  // In a cluster a is the keeper and b the removed document.
  ReportedDocument a, b;
  // Exact score: Jaccard similarity, that of image hashes, or that of several fields.
  double score = 0;

  // One field for documents of files; for an index the fields that at least one of them has. Empty
  // for pictures, and if the texts are not known.
  std::vector<ReportedField> fields;

  // The rest is for pictures only.

  // Whether the two files are equal byte for byte.
  bool same_file = false;
  // Bits in which the hashes differ; absent if the score is 0 or the features are not a hash.
  std::optional<int> distance;
  // Whether the pictures are most similar when one of them is turned or mirrored.
  bool turned = false;
  // The two pictures laid over each other, as the bytes of a JPEG file: grey, dark where they are
  // the same. If `shown` is present: the picture that shows more, dark, with the other one bright
  // where it is found in it.
  std::string difference;
  // For image:sift: the share of the area of a that b shows, and of b that a shows.
  struct Shown {
    double of_a = 0, of_b = 0;
  };
  std::optional<Shown> shown;
};

// A removed document of a cluster.
struct ReportedMember {
  // The keeper and the removed document.
  ReportedPair pair;
  // With components: the most similar document of the cluster, if that is not the keeper.
  std::optional<ReportedDocument> link;
  // The score with it.
  double link_score = 0;
};

// A keeper and some of the documents that were removed because of it.
struct ReportedCluster {
  // The document that is kept.
  ReportedDocument keeper;
  // Why this document is the keeper, as a sentence.
  std::string why_kept;
  // Documents that were removed because of it.
  std::uint64_t removed = 0;
  // Of these, the documents with equal features.
  std::uint64_t equal = 0;
  // The lowest score of the cluster.
  double weakest = 1;
  // The least, the middle and the most similar removed document; for pictures the least similar
  // ones.
  std::vector<ReportedMember> members;
};

// A source and what it loses.
struct ReportedSource {
  // The file or folder, as the user named it.
  std::string name;
  // Whether it is a reference.
  bool reference = false;
  // Its documents, and how many of them are removed.
  std::uint64_t documents = 0, removed = 0;
};

// Everything that the page and its twin print.
struct Report {
  // What the caller knows.
  RunFacts run;
  // The version of Benzer.
  std::string version;

  // The schema of an index; absent for a run on files. A report of an index has no bytes and no
  // sources, and run.inputs names the index. It has the compared pairs if the deduplication has
  // collected them. SimilarityCounts::config is not used then.
  std::optional<Schema> schema;
  // How an index combined the fields.
  ScoreRule score_rule = ScoreRule::kMean;

  // What was asked for.

  // Whether documents are sets of values, or pictures.
  bool values = false;
  bool pictures = false;
  // The largest distance of a similar pair; only if the features are hashes.
  std::optional<int> distance;
  // What the scores are.
  Measure measure = Measure::kJaccard;
  // The threshold of the run.
  Threshold threshold = Threshold::parse("0.8");
  // The recall that bands were planned for; absent if the bands were given.
  std::optional<double> wanted_recall;
  // Which document is kept, how clusters are made, and what happens to short documents.
  KeepOrder keep;
  Clustering clustering = Clustering::kLeader;
  ShortPolicy short_policy = ShortPolicy::kExact;

  // What came out.

  // The counts of the run, with its configuration.
  SimilarityCounts counts;
  // Kept and removed documents, without references.
  std::uint64_t kept = 0, removed = 0;
  // Length of the removed texts (or values), in bytes.
  std::uint64_t removed_bytes = 0;
  // Removed documents by reason: score 1 with their keeper; a lower score; short and without a
  // keeper. They add up to `removed`.
  std::uint64_t equal = 0;
  std::uint64_t near = 0;
  std::uint64_t dropped = 0;
  // Of `near`, the documents whose score is below the threshold (components).
  std::uint64_t below = 0;
  // Clusters, and the documents of the largest one, its keeper included.
  std::uint64_t clusters = 0, largest_cluster = 0;
  // For an index, what people's decisions have changed: similar pairs that they set apart, and
  // clusters with the keeper that they chose.
  std::uint64_t set_apart = 0, chosen_keepers = 0;

  // Compared pairs by score, in bins of equal width from 0 to 1; pairs with a score of 1 are in
  // none. Empty if they were not collected.
  std::vector<ScoreCounts::Bin> scores;
  // Compared pairs, those with a score of 1, and the similar pairs in the bins.
  std::uint64_t compared = 0, equal_pairs = 0;
  std::uint64_t similar_pairs = 0;
  // How many pairs each counted pair below the threshold represents; more than 1 if there were so
  // many that a sample was kept, and then `compared` is approximate.
  std::uint64_t below_one_of = 1;
  // False if further pairs were ruled out without a score; they are in no bin.
  bool below_is_complete = true;
  // Estimated number of similar pairs that the bands have not found, from the probability of each
  // pair that was found. 0 for image hashes, of which none is missed.
  double missed_pairs = 0;

  // The references and then the other sources, in input order. Of more than 20 references those
  // that cause most removals, of more than 50 other sources those that lose most; the rest is
  // counted and summed up.
  std::vector<ReportedSource> sources;
  std::uint64_t more_sources = 0, more_references = 0;
  ReportedSource rest, rest_of_references;

  // removed_by[i][j]: documents of matrix_sources[i] that were removed because of a keeper in
  // matrix_sources[j]. If there are other sources, matrix_others counts them, and a last row and
  // column are theirs. Columns for keepers in matrix_references follow; if there are other
  // references, matrix_other_references counts them, and the last column is theirs.
  std::vector<std::string> matrix_sources, matrix_references;
  std::uint64_t matrix_others = 0, matrix_other_references = 0;
  std::vector<std::vector<std::uint64_t>> removed_by;

  // The clusters of `from` to `to` documents, the keeper included, and what they lose.
  struct SizeBin {
    std::uint64_t from = 0, to = 0, clusters = 0, removed = 0;
  };
  // By size: 2, 3, 4 to 7, 8 to 15 and so on, up to the largest cluster.
  std::vector<SizeBin> sizes;

  // The clusters that are shown, each once. The three lists are places in it, at most 20 each: the
  // largest clusters, those with the lowest scores, and some of the others. The others are chosen
  // by a hash of their keepers' numbers, so that the same result always shows the same ones.
  std::vector<ReportedCluster> shown;
  std::vector<std::uint32_t> largest, weakest, any;

  // Removals because of a kept document, picked at random: 20 of them, or all if there are fewer.
  // Each is equally likely, whatever its score and its cluster, so what is true of a share of them
  // is true of about that share of all. a is the keeper. They are in a random order: the first ones
  // are a sample, too. A hash of the documents' numbers picks them, so the same result always shows
  // the same ones.
  std::vector<ReportedPair> sample;

  // The pairs nearest to the threshold, at or above it and below it, the nearest first; at most 10
  // each. Equal documents are left out, and as long as there are enough pairs each document is in
  // one pair only.
  std::vector<ReportedPair> above, under;
};

// Collects the report of a run. corpus, options and result: those of deduplicate(), which must have
// been called with Collect::kCompared. sample: what to show as Report::sample, where `result` is
// only of documents that were chosen to be shown, and so cannot tell; then all of its clusters are
// shown, and none is in a list. Else null. Reads about 300 documents once more, in parallel. Throws
// what the corpus throws, and Error(kInterrupted).
Report collect_report(Corpus& corpus, const DedupOptions& options, const DedupResult& result,
                      const RunFacts& facts, const std::vector<ScoredPair>* sample = nullptr);

// Returns the document with an id as it was put into an index, or nothing if it is not known any
// more.
using ReadDocument = std::function<std::optional<Document>(const std::string& id)>;

// Collects the report of a deduplication of an index. found: the result of
// index.deduplicate(options), with options.collect_compared if the report is to show pairs next to
// the threshold; call this before anything is removed. facts: without counts of input.
// read: returns texts, which an index does not keep; if it is empty, and for images, the page has
// ids and scores only. Reads about 280 documents, two at a time. Throws what `read` throws, and
// Error(kInterrupted).
Report collect_report(const Index& index, const WholeIndexOptions& options, const IndexDedup& found,
                      const RunFacts& facts, const ReadDocument& read);

// Prints the report as one JSON object with a line end. docs/report.schema.json describes it.
std::string report_json(const Report& report);

// Prints the report as a whole HTML page in one file. It has no scripts and loads nothing; all text
// from documents is escaped.
std::string report_html(const Report& report);

}  // namespace benzer
