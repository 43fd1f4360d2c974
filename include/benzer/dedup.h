// The main job: near-duplicates out of a corpus, every removal with its reason.
//
//   pass 1  read, extract, sketch; equal feature sets collapse
//   pass 2  candidates by band keys, cut by signature, confirmed by exact Jaccard similarity
//   leader  one sequential pass in keep order: a document is removed if and only if a kept one has
//           verified J >= t; its keeper is the one with the highest score, then the earliest
//   or components  whatever is connected by verified pairs is one cluster, of which the first in
//           keep order stays: what most tools do, and a chain of small steps can join strangers
// Precision is 1 by construction; recall is the plan's, and whatever lowers it is counted.
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
#include "benzer/runtime.h"
#include "benzer/similarity.h"

namespace benzer {

// What stays of documents that are similar to one another.
enum class Clustering {
  // One document after the other: it goes if one that stays is similar to it itself, else it stays.
  kLeader,
  // One stays of all that a chain of similar pairs connects: what goes may be far from it.
  kComponents,
};

// As options and outputs have it: "leader" or "components".
constexpr std::string_view name_of(Clustering clustering) noexcept {
  return clustering == Clustering::kLeader ? "leader" : "components";
}

// Which document of a family of similar ones stays.
//
// Spelling: rules separated by commas, each breaking the ties of the one before; documents that all
// rules find equal stay in input order.
//   first, last              input order, or its reverse; ends the list
//   longest, shortest        by bytes of the text (or of all values)
//   max:FIELD, min:FIELD     by a number in the record; records without one come last
//   source:NAME[,NAME...]    by input, in the order given; inputs that are not named come last
// "source:wiki.jsonl,news.jsonl,max:score,longest" is a list of three rules. An input that has the
// name of a rule is written with its folder: ./first.
struct KeepRule {
  enum class Kind { kFirst, kLast, kLongest, kShortest, kMax, kMin, kSource };

  Kind kind = Kind::kFirst;
  std::string field;               // of kMax and kMin
  std::vector<std::string> names;  // of kSource: inputs as they were named, or their last part

  friend bool operator==(const KeepRule&, const KeepRule&) = default;
};

struct KeepOrder {
  std::vector<KeepRule> rules = {KeepRule{}};

  // Throws Error(kInvalidArgument) that names the rule and what is allowed.
  static KeepOrder parse(std::string_view text);
  std::string str() const;

  // The fields of kMax and kMin, in order and each once: InputOptions::number_fields wants them.
  std::vector<std::string> fields() const;

  friend bool operator==(const KeepOrder&, const KeepOrder&) = default;
};

// What happens to texts with fewer words than the shingle.
enum class ShortPolicy {
  kExact,  // their one feature is the whole text: equal ones are duplicates of each other
  kKeep,   // kept, and in no pair
  kDrop,   // removed, without a keeper
};

struct SimilarityOptions : RunControl {
  Config config;  // bands are planned when absent
  Threshold threshold = Threshold::parse("0.8");
  double recall = 0.99;  // wanted at the threshold, in (0, 1)
  ShortPolicy short_policy = ShortPolicy::kExact;
  // Of each picture that is none, or damaged, why, to be read behind its name. Called in order,
  // from one thread at a time; what it throws ends the run. May be empty.
  std::function<void(std::uint32_t document, const std::string& problem)> problem;

  // In bytes, 0: none. Beyond it, what is known of the documents goes to temporary files; at most
  // 40 bytes a document stay in memory (docs/design.md). The corpus has a limit of its own. Throws
  // Error(kInvalidArgument) if not even these fit.
  std::uint64_t memory_limit = 0;
  std::string work_folder;  // for these files; empty: the system's folder for temporary files
  // What is verified is written down in the work folder, too, so that another run about the same
  // need not do it again; remove_stages() removes that.
  bool keep_stages = false;
};

// What is handed over of the pairs that were compared.
enum class Collect {
  kNothing,
  kSimilar,   // DedupResult::similar: 16 bytes a pair, beyond 64 MiB in a temporary file
  kCompared,  // also DedupResult::below: 16 MiB, and a full comparison for each of them
};

// How much is done where more than 64 distinct sets share a band key. In features that are
// compared, and as much for 64 slots of a signature: about 2 ns each.
struct Effort {
  // So much by signatures: each set is compared with all that its signature suggests. From then on
  // sets are found by their rarest features, with the same result.
  std::uint64_t by_signatures = std::uint64_t{1} << 28;
  // So much without a cut. From then on a document whose features do not tell it from very many
  // others is compared with the `candidates` most promising ones: SimilarityCounts::cut_short.
  std::uint64_t whole = std::uint64_t{1} << 33;
  std::uint32_t candidates = 256;
  // Components: so much for pairs of documents that are connected already, which change no cluster,
  // but are in DedupResult::similar and may be links. What comes after that is not compared.
  std::uint64_t connected = std::uint64_t{1} << 28;
};

struct DedupOptions : SimilarityOptions {
  KeepOrder keep;  // the corpus must give the numbers of keep.fields(), in that order
  Clustering clustering = Clustering::kLeader;
  Collect collect = Collect::kNothing;
  Effort effort;
};

// What was seen on the way; every number is in documents or in pairs of documents.
struct SimilarityCounts {
  Config config;                   // complete: with the bands that were used
  double recall_at_threshold = 0;  // predicted, the signature check included
  std::uint64_t documents = 0;     // references not among them
  std::uint64_t references = 0;
  std::uint64_t bytes = 0;             // of the documents' texts (or values)
  std::uint64_t empty = 0;             // without features: kept, similar to nothing
  std::uint64_t short_documents = 0;   // or pictures with too little detail
  std::uint64_t undecodable = 0;       // of `empty`: no pictures, or damaged
  std::uint64_t replaced = 0;          // documents in which invalid UTF-8 was replaced
  std::uint64_t exact_duplicates = 0;  // documents whose feature set equals an earlier one's
  // +drop-common: different features that were left out, and documents that have no others and so
  // keep them; references among them.
  std::uint64_t common_features = 0;
  std::uint64_t only_common = 0;
  std::shared_ptr<const internal::CommonFeatures> common;  // for a report of the run
  // Pairs of distinct sets, once for each band that they share; their signatures are compared, or
  // in its place their rarest features.
  std::uint64_t candidates = 0;
  std::uint64_t verified_pairs = 0;  // of these, the pairs confirmed by exact similarity
  // Distinct sets that were not compared with all that their signatures suggest, since these were
  // too many (Effort): a similar one may have been missed. 0 but for very many documents that are
  // all just below the threshold and have no features of their own.
  std::uint64_t cut_short = 0;
};

// Why a document is in a component, by which other one it came in: the first of those that equal
// it, and for this one the most similar of the others (then the earliest), which reaches the
// threshold.
struct Link {
  std::uint32_t document = 0;
  double score = 0;
  friend bool operator==(const Link&, const Link&) = default;
};

struct Removal {
  std::uint32_t document = 0;
  std::optional<std::uint32_t>
      keeper;        // leader: the most similar kept one; components: the cluster's keeper; none
                     // for a short document that was dropped
  double score = 0;  // exact Jaccard similarity with `keeper`: in components it may be below the
                     // threshold
  friend bool operator==(const Removal&, const Removal&) = default;
};

// A list of pairs, in memory or in a temporary file; copies share it.
class ScoredPairs {
 public:
  ScoredPairs() = default;
  explicit ScoredPairs(std::vector<ScoredPair> sorted);
  std::uint64_t size() const noexcept;
  // In order.
  void for_each(const std::function<void(const ScoredPair&)>& visit) const;

  struct List;
  explicit ScoredPairs(std::shared_ptr<const List> list) : list_(std::move(list)) {}

 private:
  std::shared_ptr<const List> list_;  // null: empty
};

// The pairs that were compared and are below the threshold: all of them, or a sample where there
// are more than 2^18.
struct PairsBelow {
  std::vector<ScoredPair> sample;   // by (a, b)
  std::uint64_t one_of = 1;         // each pair of the sample stands for so many
  std::vector<ScoredPair> nearest;  // of all pairs the 2,000 with the highest scores, then by
                                    // (a, b)
  // False: where very many sets share a band key, further pairs that cannot reach the threshold
  // were ruled out without a score, and are in neither list.
  bool is_complete = true;
  std::uint64_t pairs() const noexcept { return sample.size() * one_of; }  // about, if it is one
};

struct DedupResult {
  SimilarityCounts counts;
  std::uint64_t kept = 0;
  std::uint64_t removed_bytes = 0;  // of the removed documents' texts (or values)
  std::uint64_t clusters = 0;       // kept documents that stand for at least one removed one
  std::vector<Removal> removed;     // by document number
  std::vector<Link> links;          // components only: why each of `removed` is in its component

  // What DedupOptions::collect asks for: every candidate whose signature was near enough to be
  // compared; of each distinct feature set one document. Leader clustering compares only what it
  // needs where more than 64 sets share a band key. `similar` is by (a, b), and has each further
  // document of a set with its first.
  ScoredPairs similar;
  PairsBelow below;
};

// A kept document and the removed ones that it stands for.
struct Cluster {
  std::uint32_t keeper = 0;
  std::span<const std::uint32_t> removals;  // places in DedupResult::removed, ascending
  double weakest = 1;                       // the lowest of their scores
};

// The clusters of a result, which must outlive this, by keeper. Memory: 4 bytes a removed document
// and 4 a cluster.
class Clusters {
 public:
  explicit Clusters(const DedupResult& result);
  std::size_t size() const noexcept { return starts_.size() - 1; }
  Cluster operator[](std::size_t i) const;
  // The place of a keeper's cluster; nothing if it stands for nobody.
  std::optional<std::size_t> of_keeper(std::uint32_t keeper) const;

 private:
  const DedupResult* result_;
  std::vector<std::uint32_t> order_;   // places of removals, cluster by cluster
  std::vector<std::uint32_t> starts_;  // of each cluster in order_, and the end
};

// Throws Error for options that cannot be carried out; what corpus.scan throws passes through.
// The result is the same for any number of threads. Documents whose groups differ are never
// compared.
DedupResult deduplicate(Corpus& corpus, const DedupOptions& options);

// Removes what deduplicate() has left in the work folder.
void remove_stages(const SimilarityOptions& options) noexcept;

// The first stage of deduplicate() alone, for a corpus that saves it: every document is sketched.
// The counts are of documents only, references among them.
SimilarityCounts sketch(Corpus& corpus, const DedupOptions& options);

struct PairsOptions : SimilarityOptions {
  bool exact = false;  // the prefix-filter join instead of LSH: recall 1, more time and memory
};

// Every unordered pair with J >= threshold once, equal documents among them, sorted by (a, b) and
// handed to `sink` one by one.
SimilarityCounts find_pairs(Corpus& corpus, const PairsOptions& options,
                            const std::function<void(const ScoredPair&)>& sink);

// Guard rails: signs that a deduplication would delete far more than near-copies.
//
// A cluster that holds a good part of a corpus, or a source that all but vanishes, is more often a
// template, a boilerplate or a threshold far too low than a hundred thousand copies.
struct GuardRails {
  double largest_cluster = 0.10;            // of all documents,
  std::uint64_t cluster_documents = 10000;  // where there are so many
  double largest_loss = 0.90;               // of a source's documents,
  std::uint64_t source_documents = 1000;    // where it has so many

  // Where documents are removed in place, of which there is no other copy: however few there are.
  static GuardRails in_place() noexcept { return {.cluster_documents = 0, .source_documents = 0}; }

  // Two of a few documents are no sign of anything.
  bool is_too_large(std::uint64_t cluster, std::uint64_t documents) const noexcept {
    return documents >= cluster_documents && cluster > 2 &&
           exceeds(cluster, documents, largest_cluster);
  }
  bool loses_too_much(std::uint64_t removed, std::uint64_t documents) const noexcept {
    return documents >= source_documents && exceeds(removed, documents, largest_loss);
  }

 private:
  static bool exceeds(std::uint64_t part, std::uint64_t whole, double share) noexcept {
    return static_cast<double>(part) > share * static_cast<double>(whole);
  }
};

struct GuardRailBreach {
  enum class Kind { kCluster, kSource };
  Kind kind = Kind::kCluster;
  std::uint32_t place = 0;      // kCluster: the keeper, of an index the cluster's place among all;
                                // kSource: in Corpus::sources(), of an index 0
  std::uint64_t documents = 0;  // in the cluster, the keeper included; lost by the source
  std::uint64_t total = 0;      // in the corpus (references not among them); in the source
  friend bool operator==(const GuardRailBreach&, const GuardRailBreach&) = default;
};

// Clusters by keeper, then sources. Cost: one look at every removal and every document.
std::vector<GuardRailBreach> check_guard_rails(const Corpus& corpus, const DedupResult& result,
                                               const GuardRails& rails = {});
// How many documents of each source there are and how many went, by place in Corpus::sources().
struct SourceCounts {
  std::uint64_t documents = 0;
  std::uint64_t removed = 0;
};
std::vector<SourceCounts> count_sources(const Corpus& corpus, const DedupResult& result);

// Vocabularies for image:sift: visual words, learned from pictures.
//
// One is built in, learned from made-up pictures. One that is learned from pictures like those that
// it is for knows better which of their details are rare.
struct TrainWordsOptions : RunControl {
  // As in SimilarityOptions.
  std::function<void(std::uint32_t document, const std::string& problem)> problem = {};
};

struct TrainedWords {
  std::string file;               // the bytes of a vocabulary file, for +words:FILE
  std::uint64_t pictures = 0;     // with key points
  std::uint64_t undecodable = 0;  // documents that are no picture, or damaged
  std::uint64_t key_points = 0;   // that it was learned from: at most 200,000, 100 of a picture
};

// From a corpus of picture files. The same pictures in the same order give the same bytes on one
// machine, with any number of threads. Throws Error(kInvalidArgument) if they have fewer than
// 5,000 key points: that is some 60 photographs. Cost: some 40 ms a picture on one core, and 6 s.
TrainedWords train_words(Corpus& corpus, const TrainWordsOptions& options);

// As the built-in one was learned: from 2000 pictures that are made up. progress and stop are as
// above; nothing else is used.
TrainedWords train_words_on_made_up_pictures(const TrainWordsOptions& options);

}  // namespace benzer
