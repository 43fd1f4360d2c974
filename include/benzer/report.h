// The evidence of a run: what was removed, because of what, and whether it can be trusted.
//
// collect_report() chooses what people should see and reads those documents once more. The page and
// its twin for programs are printed from the same Report. Both depend on the corpus, the options
// and the facts only: no time, no machine, no number of threads.
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

// A command that may be run next, and what for.
struct NextStep {
  std::string sentence;
  std::vector<std::string> command;
};

// What only the caller knows.
struct RunFacts {
  std::vector<std::string> command;  // its words, such that the run can be repeated with them
  std::vector<std::string> inputs, references;
  std::string output, removed_list;  // empty: none is written
  bool dry_run = false;
  std::string group_field;  // only documents equal in it were compared; empty: all
  InputCounts input;
  std::vector<std::string> problems;  // the first sentences about bad input
  // Of an index from which not all that were to go are removed, since it was stopped: how many are.
  std::optional<std::uint64_t> removed_so_far;
  std::vector<NextStep> next_steps;
};

// What a picture is, and how it looks.
struct ReportedPicture {
  std::uint32_t width = 0, height = 0;  // of the file, upright
  std::string format;                   // "JPEG", "PNG", ...
  std::string jpeg;                     // the picture made small, as the bytes of a JPEG file
};

struct ReportedDocument {
  std::optional<std::uint32_t> number;  // none in an index
  std::string id_json;                  // as in DocumentLabel
  std::string source;
  std::uint64_t line = 0;
  std::uint64_t bytes = 0;
  std::shared_ptr<const ReportedPicture> picture;  // of pictures that are shown; else none
};

// A part of a text, cut into pieces by what the comparison saw there.
struct ReportedText {
  using Mark = benzer::Mark;
  using Piece = MarkedPiece;
  std::vector<Piece> pieces;
  std::uint64_t begin = 0,
                end = 0;  // the part, in bytes of the readable text (or of the values, a line each)
  std::uint64_t size = 0;  // of the whole
  bool marked = true;      // false: the text was too long to be followed so far
};

// A field of two documents, side by side.
struct ReportedField {
  std::string name;        // of an index; the documents of files are one field without a name
  double score = 0;        // exact Jaccard similarity
  bool same_text = false;  // byte for byte, as far as they are readable
  std::uint64_t shared = 0, only_a = 0, only_b = 0;  // different features
  bool readable = false;                             // +html: text_a, text_b are without markup
  ReportedText text_a, text_b;
};

struct ReportedPair {
  ReportedDocument a, b;  // in a cluster: keeper, removed
  double score = 0;       // exact similarity: Jaccard's, that of hashes, or of several fields

  // Of files one; of an index those that either document has. None: these are pictures, or nobody
  // has kept the texts.
  std::vector<ReportedField> fields;

  // Of pictures only.
  bool same_file = false;       // byte for byte
  std::optional<int> distance;  // bits of the hashes that differ; none where the score is 0
  bool turned = false;          // they are most similar when one is turned or mirrored
  // One over the other: grey, dark where they are the same. Where `shown` is there: the one that
  // shows more, dark, and the other one bright where it lies in it. The bytes of a JPEG file.
  std::string difference;
  // image:sift: what b shows of a, and a of b, by area.
  struct Shown {
    double of_a = 0, of_b = 0;
  };
  std::optional<Shown> shown;
};

struct ReportedMember {
  ReportedPair pair;
  // In components, where it is not the keeper: the most similar document of the cluster.
  std::optional<ReportedDocument> link;
  double link_score = 0;
};

struct ReportedCluster {
  ReportedDocument keeper;
  std::string why_kept;       // a sentence
  std::uint64_t removed = 0;  // because of this keeper
  std::uint64_t equal = 0;    // of these, the ones with equal features
  double weakest = 1;
  // The least, the middle and the most similar one; of pictures the least similar ones.
  std::vector<ReportedMember> members;
};

struct ReportedSource {
  std::string name;
  bool reference = false;
  std::uint64_t documents = 0, removed = 0;
};

struct Report {
  RunFacts run;
  std::string version;

  // Of an index. Then there are no bytes, pairs of other documents, sources, and run.inputs names
  // the index.
  std::optional<Schema> schema;
  ScoreRule score_rule = ScoreRule::kMean;

  // What was asked for.
  bool values = false;          // documents are sets of values
  bool pictures = false;        // they are pictures
  std::optional<int> distance;  // the largest allowed; only where features are hashes
  Threshold threshold = Threshold::parse("0.8");
  std::optional<double> wanted_recall;  // none: the bands were given
  KeepOrder keep;
  Clustering clustering = Clustering::kLeader;
  ShortPolicy short_policy = ShortPolicy::kExact;

  // What came out; `counts` has the configuration.
  SimilarityCounts counts;
  std::uint64_t kept = 0, removed = 0;
  std::uint64_t removed_bytes = 0;
  std::uint64_t equal = 0;    // removed: score 1 with their keeper
  std::uint64_t near = 0;     // removed: a lower score
  std::uint64_t dropped = 0;  // removed: short, without a keeper
  std::uint64_t below = 0;    // of `near`, those below the threshold (components)
  std::uint64_t clusters = 0, largest_cluster = 0;  // with the keeper

  // All pairs that were compared, by score, in bins of equal width from 0 to 1.
  struct ScoreBin {
    std::uint64_t below = 0, similar = 0;
  };
  std::vector<ScoreBin> scores;
  std::uint64_t compared = 0, equal_pairs = 0;  // equal_pairs: score 1; they are in no bin
  std::uint64_t similar_pairs = 0;              // of the bins
  // Pairs below the threshold are a sample where there are very many: each that is counted stands
  // for so many, and `compared` is about right. Not complete: others were ruled out without a
  // score, and are in no bin.
  std::uint64_t below_one_of = 1;
  bool below_is_complete = true;
  // How many pairs like these the bands have not found, going by the probability of each. Of
  // hashes none.
  double missed_pairs = 0;

  // In input order; what has no row of its own is summed up.
  std::vector<ReportedSource> sources;
  std::uint64_t more_sources = 0;
  ReportedSource rest;

  // removed_by[i][j]: removed of matrix_sources[i] because of a keeper in matrix_sources[j]; the
  // last row and column are the other sources if there are any.
  std::vector<std::string> matrix_sources;
  std::uint64_t matrix_others = 0;
  std::vector<std::vector<std::uint64_t>> removed_by;

  // Clusters of `from` to `to` documents, the keeper counted.
  struct SizeBin {
    std::uint64_t from = 0, to = 0, clusters = 0, removed = 0;
  };
  std::vector<SizeBin> sizes;

  // Each cluster once; the lists are places in it.
  std::vector<ReportedCluster> shown;
  std::vector<std::uint32_t> largest, weakest, any;

  std::vector<ReportedPair> above, under;  // nearest to the threshold first
};

// After deduplicate(), with its result; with Collect::kCompared. Reads about 300
// documents. Throws what the corpus throws, and Error(kInterrupted).
Report collect_report(Corpus& corpus, const DedupOptions& options, const DedupResult& result,
                      const RunFacts& facts);

// The document with an id, as it was put into an index; nothing if it is not known any more.
using ReadDocument = std::function<std::optional<Document>(const std::string& id)>;

// After index.deduplicate(options), with its result, before anything is removed. An index keeps no
// texts: `read` may know them; without it (empty), and of images, the page has ids and scores.
// facts: without counts of input. Reads about 240 documents, two at a time. Throws what `read`
// throws, and Error(kInterrupted).
Report collect_report(const Index& index, const WholeIndexOptions& options, const IndexDedup& found,
                      const RunFacts& facts, const ReadDocument& read);

// One JSON object, as docs/report.schema.json describes it, and a line end.
std::string report_json(const Report& report);

// A whole page in one file: no scripts, no resources; all foreign text is escaped.
std::string report_html(const Report& report);

}  // namespace benzer
