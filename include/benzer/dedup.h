// The main job: near-duplicates out of a corpus, every removal with its reason.
//
//   pass 1  read, extract, sketch; equal feature sets collapse
//   pass 2  candidates by band keys, cut by signature, confirmed by exact Jaccard similarity
//   leader  one sequential pass in keep order: a document is removed if and only if a kept one has
//           verified J >= t; its witness is the highest score, then the earliest
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

#include "benzer/clustering.h"
#include "benzer/config.h"
#include "benzer/corpus.h"
#include "benzer/features.h"
#include "benzer/keep.h"
#include "benzer/similarity.h"
#include "benzer/threshold.h"

namespace benzer {

// What happens to texts with fewer words than the shingle.
enum class ShortPolicy {
  kExact,  // their one feature is the whole text: equal ones are duplicates of each other
  kKeep,   // kept, and in no pair
  kDrop,   // removed, without a witness
};

struct Progress {
  std::string_view stage;   // "count", "read", "candidates", "verify", "choose", "report", "write"
  std::uint64_t done = 0;   // documents of this stage
  std::uint64_t total = 0;  // 0: not known
};

struct SimilarityOptions {
  Config config;  // bands are planned when absent
  Threshold threshold = Threshold::parse("0.8");
  double recall = 0.99;  // wanted at the threshold, in (0, 1)
  ShortPolicy short_policy = ShortPolicy::kExact;
  int threads = 0;                                // 0: one per core
  std::function<void(const Progress&)> progress;  // called from one thread at a time; may be empty
  // Of each picture that is none, or damaged, why, to be read behind its name. Called in order,
  // from one thread at a time; what it throws ends the run. May be empty.
  std::function<void(std::uint32_t document, const std::string& problem)> problem;
  const std::atomic<bool>* stop = nullptr;  // when it turns true, the run ends with
                                            // Error(kInterrupted) within a second

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
  std::uint64_t no_images = 0;         // of `empty`: no pictures, or damaged
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
  std::optional<std::uint32_t> kept;  // leader: the witness; components: the cluster's keeper; none
                                      // for a short document that was dropped
  double score = 0;  // exact Jaccard similarity with `kept`: in components it may be below the
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

}  // namespace benzer
