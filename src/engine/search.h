// Finds similar documents in a store. Band keys give candidates or, for a query with a floor, all
// documents are looked at. Cut signatures rule most of them out, with containment the number of
// keys that both have, and all features decide about the others.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "benzer/index.h"
#include "benzer/sketch.h"

#include "engine/attributes.h"
#include "engine/hasher.h"
#include "store/store.h"

namespace benzer {

// Answers any number of queries with the same options. Threads: immutable; share freely.
class Search {
 public:
  // Throws Error(kInvalidArgument) for options that the schema does not allow.
  Search(const Schema& completed, const SimilarOptions& options);

  // Returns the matches of each query, best first. Leaves out a document with the id of the query,
  // and those that have expired or do not meet the conditions of the options.
  // Adds to `counts`.
  std::vector<std::vector<Match>> run(StoreReader& reader, std::span<const DocumentHashes> queries,
                                      SimilarCounts& counts) const;

  // A document that reaches the threshold.
  struct Similar {
    DocumentNumber document;
    double score;
    // With containment: how much of the query the document has, and of the document the query. Of
    // several fields, what the rule makes of their shares.
    Shares shares = {};
  };
  // Returns for each query the originals (store.h) that are similar to it, ascending, whatever
  // their attributes are. Leaves out those for which is_wanted(number of the query, original) is
  // false. Adds to `candidates` how many signatures were compared. If `below` is not null, it gets
  // the originals that were compared and are not similar, with their scores.
  std::vector<std::vector<Similar>> originals(
      StoreReader& reader, std::span<const DocumentHashes> queries,
      const std::function<bool(std::size_t, DocumentNumber)>& is_wanted, std::uint64_t& candidates,
      std::vector<std::vector<Similar>>* below = nullptr) const;
  // Returns all documents that are similar to the query, ascending: copies are among them, and the
  // query itself if it is in the store.
  std::vector<DocumentNumber> all(StoreReader& reader, const DocumentHashes& query) const;
  // What the query and a document have in common, exactly, and whether that reaches the threshold.
  // The document need not be a candidate.
  struct Pair {
    Match match;
    bool is_similar;
  };
  Pair compare(StoreReader& reader, const DocumentHashes& query, DocumentNumber document) const;
  // A comparison with any document.
  struct Compared {
    double score;
    Shares shares;  // as in Similar
    // Whether the document is removed if the query is kept: with containment if the query has
    // enough of the features of the document, however small the query is; else if they are similar.
    bool is_covered;
  };
  // Compares any documents with the query, exactly.
  std::vector<Compared> compare_all(StoreReader& reader, const DocumentHashes& query,
                                    std::span<const DocumentNumber> documents) const;

  const Threshold& threshold() const noexcept { return threshold_; }
  bool explains() const noexcept { return options_.explain; }
  const std::atomic<bool>* stop() const noexcept { return options_.stop; }
  // What decides whether one field finds a pair.
  struct FieldPair {
    double similarity = 0;
    // With containment: the features that both have, and those of the document that is looked for.
    std::uint64_t shared = 0, size = 0;
  };
  // The probability that a pair is found whose fields are these (one for each field of the schema),
  // with the fields taken as independent.
  double found_probability(std::span<const FieldPair> fields) const;
  // The probability that a pair exactly at the threshold is found.
  static double expected_recall(const Schema& completed, const Threshold& threshold);
  // The least probability that a query with a floor finds one of the most similar documents.
  static double floor_recall(const Schema& completed);

 private:
  class Comparison;
  class CutFilter;
  struct Found;
  struct Collected;
  class MostSimilar;

  bool passes(const std::uint8_t* a, const std::uint8_t* b) const noexcept;
  std::uint32_t equal_slots(const std::uint8_t* a, const std::uint8_t* b) const noexcept;
  double estimate(const std::uint8_t* a, const std::uint8_t* b) const noexcept;
  bool is_hash(std::uint32_t field) const noexcept { return distances_[field] >= 0; }
  // Returns for each query the originals that share a key with it and pass the look at signatures,
  // ascending. is_wanted is as in originals(); empty if all are wanted.
  std::vector<std::vector<DocumentNumber>> candidates(
      StoreReader& reader, std::span<const DocumentHashes> queries,
      const std::function<bool(std::size_t, DocumentNumber)>& is_wanted,
      std::uint64_t& compared) const;
  // The same with containment: the originals that share enough keys with it (search_keys.cc).
  std::vector<std::vector<DocumentNumber>> candidates_by_keys(
      StoreReader& reader, std::span<const DocumentHashes> queries,
      const std::function<bool(std::size_t, DocumentNumber)>& is_wanted,
      std::uint64_t& compared) const;
  // Returns whether sets of these sizes that reach the threshold share so few keys rarely enough.
  bool are_too_few(std::uint64_t keys, std::uint64_t size, std::uint64_t other_size) const noexcept;
  void prefetch(StoreReader& reader, std::span<const std::vector<DocumentNumber>> found) const;
  std::vector<Match> matches(StoreReader& reader, Comparison& comparison,
                             const DocumentHashes& query, std::span<const DocumentNumber> documents,
                             SimilarCounts& counts) const;
  // Adds the document and its copies, if they are matches of the query.
  void collect(StoreReader& reader, Comparison& comparison, const DocumentHashes& query,
               DocumentNumber document, Collected& out, SimilarCounts& counts) const;
  // Answers queries that have a floor (search_floor.cc).
  std::vector<std::vector<Match>> most_similar(StoreReader& reader,
                                               std::span<const DocumentHashes> queries,
                                               SimilarCounts& counts) const;
  void check_floor() const;
  double floor_probability(std::span<const FieldPair> fields) const;
  std::size_t sort_best(StoreReader& reader, std::span<Found> found) const;
  std::vector<Match> best(StoreReader& reader, std::vector<Found> found,
                          std::span<const std::vector<FieldMatch>> fields) const;

  const Schema& schema_;
  SimilarOptions options_;
  Threshold threshold_;
  std::uint32_t slots_;  // of a cut signature; 0 for a sketch without positions
  std::size_t cut_bytes_;
  std::uint32_t least_equal_;
  const struct Kernels& kernels_;
  std::vector<MinHasher> minhashers_;  // of each field; none if slots have positions
  HashLayout layout_;
  AttributeFilter filter_;
  std::vector<int> distances_;  // by field: the largest of a match of image hashes; others: -1
};

}  // namespace benzer
