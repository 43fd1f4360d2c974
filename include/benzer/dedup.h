// Finds near-duplicates in a corpus and decides which documents are kept; every removal names its
// keeper and their exact similarity.
//
//     benzer::MemoryCorpus corpus;
//     corpus.add_text("fox", "The quick brown fox jumps over the lazy dog at noon");
//     corpus.add_text("copy", "The quick brown fox jumps over the lazy dog at night");
//     benzer::DedupOptions options;
//     options.threshold = benzer::Threshold::parse("0.7");
//     const benzer::DedupResult result = benzer::deduplicate(corpus, options);
//     for (const benzer::Removal& removal : result.removed)
//       std::cout << corpus.label(removal.document).id_json << ' ' << removal.score;
//
// A run has these stages:
//   pass 1  reads, extracts and sketches every document; equal feature sets collapse into one
//   pass 2  finds candidates by band keys, drops those whose signatures differ too much, and
//           confirms the others by exact Jaccard similarity
//   choice  leader: one sequential pass in keep order removes a document if and only if a kept one
//           has verified J >= t; its keeper is the one with the highest score, then the earliest.
//           components: whatever verified pairs connect is one cluster, of which the first in keep
//           order is kept. Most tools do that, but a chain of small steps can join strangers.
// Precision is 1 by construction. Recall is what was planned, and whatever lowers it is counted.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "benzer/config.h"
#include "benzer/corpus.h"
#include "benzer/features.h"
#include "benzer/guard_rails.h"
#include "benzer/runtime.h"
#include "benzer/similarity.h"

namespace benzer {

// How similar documents become clusters.
enum class Clustering {
  // Takes one document after another in keep order: it is removed if a kept document is similar to
  // it itself; else it is kept.
  kLeader,
  // Keeps one document of all that a chain of similar pairs connects. A removed document may be far
  // from its keeper.
  kComponents,
};

// Returns the name in options and outputs: "leader" or "components".
constexpr std::string_view name_of(Clustering clustering) noexcept {
  return clustering == Clustering::kLeader ? "leader" : "components";
}

// One rule of a keep order, which decides which document of several similar ones is kept.
//
// Spelling of an order: rules separated by commas, each breaking the ties of the one before.
// Documents that all rules find equal keep their input order.
//   first, last              input order, or its reverse; ends the list
//   longest, shortest        by bytes of the text (or of all values, or of the file of a picture)
//   largest                  by the number of different features, most first; pictures by pixels,
//                            then by bytes of the file
//   max:FIELD, min:FIELD     by a number in the record; records without one come last
//   source:NAME[,NAME...]    by input, in the order given; inputs that are not named come last
// "source:wiki.jsonl,news.jsonl,max:score,longest" is a list of three rules. An input that has the
// name of a rule is written with its folder: ./first.
struct KeepRule {
  enum class Kind { kFirst, kLast, kLongest, kShortest, kLargest, kMax, kMin, kSource };

  // What the rule looks at, as above.
  Kind kind = Kind::kFirst;
  // The field that kMax and kMin compare; else empty.
  std::string field;
  // The inputs that kSource prefers, as the user named them or by the last part of their path; else
  // empty.
  std::vector<std::string> names;

  friend bool operator==(const KeepRule&, const KeepRule&) = default;
};

// A list of keep rules. By default the first document in input order is kept.
struct KeepOrder {
  // The rules, the most important one first.
  std::vector<KeepRule> rules = {KeepRule{}};

  // Reads the spelling above. Throws Error(kInvalidArgument) that names the rule and says what is
  // allowed; it also refuses a rule that is there twice, and one after `first` or `last`.
  static KeepOrder parse(std::string_view text);
  // Returns the spelling.
  std::string str() const;
  // Returns the order that the programs use if none is given: `largest` for pictures, so that a
  // small copy is not kept because of its name, and for containment, so that no kept document is
  // contained in another one; else `first`.
  static KeepOrder usual(const FeatureSpec& features, Measure measure = Measure::kJaccard);

  // Returns whether a rule looks at sizes: the pixels of pictures, or the number of features.
  bool uses_size() const noexcept;
  // Returns the fields of kMax and kMin in order, each once. The corpus must give their numbers in
  // DocumentView::numbers; for files set InputOptions::number_fields to this list.
  std::vector<std::string> fields() const;

  friend bool operator==(const KeepOrder&, const KeepOrder&) = default;
};

// What happens to texts with fewer words than a shingle has, and to pictures with too little detail
// for a hash.
enum class ShortPolicy {
  kExact,  // their one feature is the whole text, so only equal ones are duplicates of each other
  kKeep,   // kept, and in no pair
  kDrop,   // removed, without a keeper
};

// Options of every run that looks for similar documents in a corpus.
struct SimilarityOptions : RunControl {
  // Features, sketch and bands. Bands are planned from threshold and recall if they are absent.
  Config config;
  // What a score is. Containment is for sets of features without weights, and needs neither bands
  // nor a sketch: config.banding must be absent.
  Measure measure = Measure::kJaccard;
  // Exact score from which on two documents are similar, in (0, 1].
  Threshold threshold = Threshold::parse("0.8");
  // Wanted probability, in (0, 1), that a pair exactly at the threshold is found. A higher one
  // takes more bands, and so more memory and candidates. Not used if config has bands.
  double recall = 0.99;
  // What happens to short documents. Only features with shingles, hashes of pictures and image:sift
  // have short documents; for others only kExact is allowed.
  ShortPolicy short_policy = ShortPolicy::kExact;
  // Called with the reason for each picture that cannot be decoded, to be printed after its name.
  // Such a picture is kept, and similar to nothing. Calls come in input order, from one thread at a
  // time; an exception that it throws ends the run. May be empty.
  std::function<void(std::uint32_t document, const std::string& problem)> problem;

  // Limit of the memory of the run, in bytes; 0 means none. Beyond it, what is known about the
  // documents is kept in temporary files, except for at most 40 bytes a document (docs/design.md).
  // The run throws Error(kInvalidArgument) if not even these fit. The result is the same, unless
  // documents are cut short: with a limit there may be more of them (SimilarityCounts::cut_short).
  // The corpus has a limit of its own (InputOptions::memory_limit). Not for features of pictures.
  std::uint64_t memory_limit = 0;
  // The folder for these files; empty means the system's folder for temporary files.
  std::string work_folder;
  // Whether verified pairs are also logged in work_folder, so that a later run about the same
  // documents and options need not verify them again. remove_stages() removes the log.
  bool keep_stages = false;
};

// Which of the compared pairs deduplicate() returns.
enum class Collect {
  // No pairs.
  kNothing,
  // DedupResult::similar: 16 bytes a pair, beyond 64 MiB in a temporary file.
  kSimilar,
  // Also DedupResult::below, which takes up to 16 MiB. Every comparison below the threshold is then
  // carried to its end for the score, where it would otherwise stop early.
  kCompared,
};

// Limits the work where more than 64 distinct sets share a band key. The unit is one compared
// feature, or 64 compared slots of signatures: about 2 ns.
struct Effort {
  // Up to this much work, each set is compared with all that its signature suggests. Beyond it,
  // sets are found by their rarest features, with the same result. The default is about half a
  // second.
  std::uint64_t by_signatures = std::uint64_t{1} << 28;
  // Up to this much work, nothing is left out. Beyond it, a document whose features do not tell it
  // from very many others is compared with the `candidates` most promising ones only;
  // SimilarityCounts::cut_short counts such documents. The default is about 17 seconds.
  std::uint64_t whole = std::uint64_t{1} << 33;
  // How many sets such a document is compared with.
  std::uint32_t candidates = 256;
  // Components only: work for pairs of documents that are connected already. They change no
  // cluster, but are in DedupResult::similar and may be links. What comes later is not compared.
  std::uint64_t connected = std::uint64_t{1} << 28;
};

// Options of deduplicate().
struct DedupOptions : SimilarityOptions {
  // Which of similar documents is kept. The corpus must give the numbers of keep.fields(), in that
  // order. With containment, take KeepOrder::usual(): in another order a document that comes first
  // is kept although a later one contains it.
  KeepOrder keep;
  // How similar documents become clusters. Containment is possible with leaders only.
  Clustering clustering = Clustering::kLeader;
  // Which of the compared pairs are in the result.
  Collect collect = Collect::kNothing;
  // How much work is done for very common features. The defaults suit nearly every corpus.
  Effort effort;
};

// What a run has counted. Every number is in documents or in pairs of documents, unless it says
// otherwise.
struct SimilarityCounts {
  // The configuration, completed with the bands that were used.
  Config config;
  // Predicted probability that a pair exactly at the threshold is found, with the signature check
  // taken into account; 1 for an exact join and for features of pictures that are not sets.
  double recall_at_threshold = 0;
  // With containment: the anchors that were used, unless the join was exact.
  std::optional<AnchorPlan> anchors;
  // Documents, without references; and references.
  std::uint64_t documents = 0;
  std::uint64_t references = 0;
  // Length of the documents' texts (or values), in bytes.
  std::uint64_t bytes = 0;
  // Documents without features. They are kept, and similar to nothing.
  std::uint64_t empty = 0;
  // Documents that were short (ShortPolicy).
  std::uint64_t short_documents = 0;
  // Of `empty`, pictures that could not be decoded.
  std::uint64_t undecodable = 0;
  // Documents in which invalid UTF-8 was replaced.
  std::uint64_t replaced = 0;
  // Documents with the features of an earlier one, each as often.
  std::uint64_t exact_duplicates = 0;
  // Of `exact_duplicates` of a deduplication, those that equal a removed document.
  std::uint64_t copies_of_removed = 0;
  // With +drop-common: different features that were left out.
  std::uint64_t common_features = 0;
  // With +drop-common: documents that have only common features and so keep them, references
  // included.
  std::uint64_t only_common = 0;
  // With +drop-common and +tf-idf: in how many documents features occur, for a report of the run;
  // else null.
  std::shared_ptr<const internal::FrequencyCounter> frequencies;
  // Pairs of distinct sets, which are those of documents that are not equal in this way, counted
  // once for each band that they share, whose signatures, or instead their rarest features, were
  // compared. With containment: counted once for each anchor of the one that the other has; where
  // very many sets share an anchor, a memory limit may change the number.
  std::uint64_t candidates = 0;
  // Pairs of distinct sets that exact similarity confirmed.
  std::uint64_t verified_pairs = 0;
  // Distinct sets that were not compared with all that their signatures suggest, since these were
  // too many (Effort), so that a similar one may have been missed. It is 0 except for very many
  // documents that are all just below the threshold, and have no features of their own or too many
  // for the memory limit.
  std::uint64_t cut_short = 0;
};

// Why a document is in a component: the other document that it is linked to. A copy is linked to
// the first document with equal features. That first one is linked to the most similar of the
// others, then the earliest, whose score reaches the threshold.
struct Link {
  // The other document.
  std::uint32_t document = 0;
  // Exact similarity with that document.
  double score = 0;
  friend bool operator==(const Link&, const Link&) = default;
};

// A removed document.
struct Removal {
  // Its number in the corpus.
  std::uint32_t document = 0;
  // The kept document because of which it is removed: with leader clustering the most similar one,
  // with components that of the cluster. Absent for a short document that was dropped.
  std::optional<std::uint32_t> keeper;
  // Exact similarity with the keeper. With leader clustering it reaches the threshold; with
  // components it may be below. With containment it is the share of the features of the removed
  // document that the keeper has.
  double score = 0;
  friend bool operator==(const Removal&, const Removal&) = default;
};

// A list of pairs, in memory or in a temporary file. Copies share it.
class ScoredPairs {
 public:
  ScoredPairs() = default;
  // The pairs must be sorted by (a, b).
  explicit ScoredPairs(std::vector<ScoredPair> sorted);
  // Returns the number of pairs.
  std::uint64_t size() const noexcept;
  // Calls visit() for each pair, sorted by (a, b).
  void for_each(const std::function<void(const ScoredPair&)>& visit) const;

  struct List;
  explicit ScoredPairs(std::shared_ptr<const List> list) : list_(std::move(list)) {}

 private:
  std::shared_ptr<const List> list_;  // null: empty
};

// The pairs that were compared and are below the threshold: all of them, or a sample if there are
// more than 2^18.
struct PairsBelow {
  // The sample, sorted by (a, b).
  std::vector<ScoredPair> sample;
  // How many pairs each pair of the sample represents; 1 if the sample has all.
  std::uint64_t one_of = 1;
  // The 2,000 pairs with the highest scores of all that were compared, sorted by falling score,
  // then by (a, b).
  std::vector<ScoredPair> nearest;
  // False if very many sets shared a band key, so that further pairs were ruled out without a score
  // because they could not reach the threshold. These are in neither list.
  bool is_complete = true;
  // Returns how many pairs there are; about as many if `sample` is a sample.
  std::uint64_t pairs() const noexcept { return sample.size() * one_of; }
};

// What deduplicate() returns. Documents are named by their numbers in the corpus.
struct DedupResult {
  // What the run has counted, and the configuration that it used.
  SimilarityCounts counts;
  // Documents that are kept, without references.
  std::uint64_t kept = 0;
  // Length of the removed documents' texts (or values), in bytes.
  std::uint64_t removed_bytes = 0;
  // Kept documents that are the keeper of at least one removed one.
  std::uint64_t clusters = 0;
  // The removed documents in ascending order.
  std::vector<Removal> removed;
  // Components only: for each of `removed`, why it is in its component.
  std::vector<Link> links;

  // What DedupOptions::collect asks for: the candidates whose signatures were similar enough to be
  // compared exactly, with one document of each distinct feature set. Where more than 64 sets share
  // a band key, or more than 64 pictures are similar to a kept one, leader clustering compares only
  // as many of them as it needs. `similar` is sorted by (a, b), and also pairs each further
  // document of a set with its first.
  ScoredPairs similar;
  // The compared pairs below the threshold, with Collect::kCompared.
  PairsBelow below;

  // With containment: how many different features each document has; else empty.
  std::vector<std::uint32_t> sizes;
  // Return how much of each document the other one contains: of the removed document and its
  // keeper, or of the documents of a pair of `similar` or `below`. Only with containment, and not
  // for a document without a keeper.
  Shares shares(const Removal& removal) const noexcept;
  Shares shares(const ScoredPair& pair) const noexcept;
  // Returns whether a removed document and its keeper have the same features. With containment a
  // document with a score of 1 may also be a part of its keeper.
  bool equals_keeper(const Removal& removal) const noexcept {
    return removal.keeper && removal.score == 1 &&
           (sizes.empty() || sizes[removal.document] == sizes[*removal.keeper]);
  }
};

// A kept document with the removed documents whose keeper it is.
struct Cluster {
  // The kept document.
  std::uint32_t keeper = 0;
  // Places in DedupResult::removed, ascending.
  std::span<const std::uint32_t> removals;
  // The lowest of their scores.
  double weakest = 1;
};

// The clusters of a result, which must outlive this object, in ascending order of their keepers.
// Short documents that were dropped are in none. Memory: 4 bytes for each removed document and each
// cluster. Threads: immutable.
class Clusters {
 public:
  // Cost: sorts the removed documents.
  explicit Clusters(const DedupResult& result);
  // Returns the number of clusters.
  std::size_t size() const noexcept { return starts_.size() - 1; }
  // Returns the i-th cluster; i must be below size(). Cost: a look at each of its removals.
  Cluster operator[](std::size_t i) const;
  // Returns the place of a keeper's cluster, or nothing if no document was removed because of it.
  std::optional<std::size_t> of_keeper(std::uint32_t keeper) const;

 private:
  const DedupResult* result_;
  std::vector<std::uint32_t> order_;   // places of removals, cluster by cluster
  std::vector<std::uint32_t> starts_;  // of each cluster in order_, and the end
};

// Deduplicates a corpus, which must not have been scanned before. The result is the same for any
// number of threads. Documents of different groups are never compared, and references are never
// removed.
//
// Throws Error(kInvalidArgument) for options that cannot be carried out, Error(kInterrupted) if
// `stop` turns true, Error(kStorageFailed) if a temporary file cannot be written, and what
// corpus.scan() throws. Memory: about 340 bytes a document without a limit (docs/design.md). Cost:
// reads every document once, and those with a candidate once more.
DedupResult deduplicate(Corpus& corpus, const DedupOptions& options);

// Removes the log that runs with keep_stages have left in the work folder. Does nothing without
// keep_stages.
void remove_stages(const SimilarityOptions& options) noexcept;

// Runs the first stage of deduplicate() alone: every document is sketched, and the corpus saves
// that. Throws Error(kInvalidArgument) for a corpus that saves nothing (Corpus::saves()). The
// counts are those of documents, with references among them.
SimilarityCounts sketch(Corpus& corpus, const DedupOptions& options);

// Counts in how many documents of the corpus each feature occurs, for +tf-idf in an index and for
// single texts. The features are those of options.config, with or without +tf-idf; of the other
// options threads, progress, stop and memory_limit are used. The result depends neither on the
// order of the documents nor on threads. It has all features of at least two documents, or if they
// are more than DocumentFrequencies::kMostFeatures, those of at least as many documents as make
// them fit. Frequencies are estimates, as in a run: never too low, and hardly ever too high by more
// than the number of all features of all documents, divided by 4 million.
//
// Throws Error(kInvalidArgument) for features that cannot have +tf-idf, Error(kBadInput) for a
// corpus without documents, Error(kInterrupted) if `stop` turns true, and what corpus.scan()
// throws. Cost: extracts the features of every document twice. Memory: 64 MiB for counters, and 24
// MiB.
std::shared_ptr<const DocumentFrequencies> count_frequencies(Corpus& corpus,
                                                             const SimilarityOptions& options);

// Options of find_pairs().
struct PairsOptions : SimilarityOptions {
  // Whether all pairs are found by a prefix-filter join instead of LSH: recall 1, for more time and
  // memory. Not together with memory_limit.
  bool exact = false;
};

// A pair that find_pairs() has found.
struct FoundPair : ScoredPair {
  // With containment: how much of each document the other one contains. The score is the larger
  // one.
  Shares shares = {};
};

// Finds every unordered pair of documents with a score at or above the threshold, equal documents
// included, and hands each once to `sink`, sorted by (a, b), from the calling thread. Short and
// empty documents are in pairs as ShortPolicy says; pairs of two references are left out. An
// exception that `sink` throws ends the call. Throws what deduplicate() throws. k equal documents
// are k (k - 1) / 2 pairs.
SimilarityCounts find_pairs(Corpus& corpus, const PairsOptions& options,
                            const std::function<void(const FoundPair&)>& sink);

// Returns the guard rails that the result crosses, clusters by keeper first, then sources. Cost:
// one look at every removal and every document.
std::vector<GuardRailBreach> check_guard_rails(const Corpus& corpus, const DedupResult& result,
                                               const GuardRails& rails = {});
// What a source has and loses.
struct SourceCounts {
  // Documents of the source; for a source of references its references.
  std::uint64_t documents = 0;
  // Of these, the documents that are removed.
  std::uint64_t removed = 0;
};
// Returns the documents and removals of each source, by place in Corpus::sources(). Cost: one look
// at every removal and every document.
std::vector<SourceCounts> count_sources(const Corpus& corpus, const DedupResult& result);

// Vocabularies for image:sift: visual words, learned from pictures.
//
// One vocabulary is built in, learned from generated pictures. One that is learned from pictures
// like those that it is used for knows better which of their details are rare.
struct TrainWordsOptions : RunControl {
  // Called with the reason for each picture that cannot be decoded, as in SimilarityOptions. May be
  // empty.
  std::function<void(std::uint32_t document, const std::string& problem)> problem = {};
};

// A vocabulary and what it was learned from.
struct TrainedWords {
  // The bytes of a vocabulary file. Write them to a file and name it with +words:FILE.
  std::string file;
  // Pictures with key points.
  std::uint64_t pictures = 0;
  // Documents that could not be decoded as a picture.
  std::uint64_t undecodable = 0;
  // Key points that the vocabulary was learned from: at most 200,000, and 100 of each picture.
  std::uint64_t key_points = 0;
};

// Learns a vocabulary from a corpus of picture files. The same pictures in the same order give the
// same bytes on one machine, with any number of threads. Throws Error(kInvalidArgument) if they
// have fewer than 5,000 key points, which is what about 60 photographs have. Cost: about 40 ms for
// each picture on one core, and 6 s.
TrainedWords train_words(Corpus& corpus, const TrainWordsOptions& options);

// Learns a vocabulary from 2000 generated pictures, as the built-in one was learned. Of the options
// only threads, progress and stop are used. The function is in the library benzer::research, not in
// benzer::benzer.
TrainedWords train_words_on_made_up_pictures(const TrainWordsOptions& options);

}  // namespace benzer
