// What an index is asked about one document, and what it answers.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "benzer/attributes.h"
#include "benzer/error.h"
#include "benzer/schema.h"
#include "benzer/similarity.h"

namespace benzer {

// What answering queries took. Of documents that are equal (the same features in all fields), an
// index in memory, or a segment of one in a folder, looks up only one, the original of up to 4,096
// copies. Copies are not candidates of their own.
struct SimilarCounts {
  // Queries that were answered.
  std::uint64_t queries = 0;
  // Documents that share a band key with a query, counted once for each field. With a floor all
  // documents of the index.
  std::uint64_t candidates = 0;
  // Of these, the ones whose signatures were similar enough to compare all features.
  std::uint64_t compared = 0;
  // Documents that reach the threshold, copies included, before the limit is applied. With a floor
  // those that were among the most similar ones when they were compared.
  std::uint64_t similar = 0;
  SimilarCounts& operator+=(const SimilarCounts& other) noexcept;
};

// How a query is answered.
struct SimilarOptions {
  // The lowest score of a match; absent means the schema's min_threshold.
  std::optional<Threshold> threshold = {};
  // If given, the matches are the `limit` most similar documents with at least this score, which
  // may be far below min_threshold. Each of them is found with at least the probability
  // Index::floor_recall(), whatever its score.
  //
  // Cost: a look at the signatures of all documents in the index, and the comparison of those that
  // may be among the best. Refused with Error(kInvalidArgument) together with a threshold, with
  // estimated scores, and by check_and_add(). The source is docs/decisions/0038.
  std::optional<Threshold> floor = {};
  // The largest number of matches of each query; the best ones are returned.
  std::size_t limit = 10;
  // Conditions on the attributes of matches, all of which must be met. A document that does not
  // meet them is as if it were not there; the others are found as without them. All of them have at
  // most Condition::kMostValues values; more are refused with Error(kInvalidArgument).
  std::vector<Condition> where = {};
  // How the similarities of the fields become one score.
  ScoreRule score = ScoreRule::kMean;
  // Whether all features are compared. Otherwise scores are estimates from cut signatures, which
  // takes less time; image hashes are exact all the same.
  bool exact = true;
  // Below min_threshold the bands find fewer matches than was promised, so such a threshold is
  // refused with Error(kInvalidArgument), unless this is set.
  bool allow_low_recall = false;
  // Whether each match says why it is one: FieldMatch::explanation and Match::found_probability.
  // That reads the first 256 KiB of each field of a query that has matches, at about a microsecond
  // a word.
  bool explain = false;
  // Counts are added to this object, if it is not null. Only one call at a time may use it.
  SimilarCounts* counts = nullptr;
  // When the flag turns true, the call ends with Error(kInterrupted) within a second, and
  // check_and_add() adds nothing. What it has begun to write to a server it ends, as if the flag
  // were false. May be null; the flag must outlive the call.
  const std::atomic<bool>* stop = nullptr;
  // If given, a call about several documents goes on without those that are refused, which have no
  // matches. At its end it calls this for each of them, in order, with the place of the document in
  // the call, from 0, and with what would be thrown for it alone. Otherwise the first one ends the
  // call with that error, of which the sentence begins with "document PLACE: "; one that does not
  // fit the schema does so before one that cannot be read or decoded.
  std::function<void(std::size_t document, const Error& problem)> problem = {};
};

// A passage of the query's text, or a value of its value set, that the other document has too.
struct SharedPassage {
  // The passage; of a long one the beginning, about 300 bytes.
  std::string text;
  // Whether the passage is longer than `text`.
  bool is_cut = false;
  // Shared features in it that are in no passage before it.
  std::uint64_t features = 0;
  friend bool operator==(const SharedPassage&, const SharedPassage&) = default;
};

// Why a field of a match is similar.
struct FieldExplanation {
  // The bands whose keys agree, counted from 0; for a sketch without positions, the query's keys
  // that the match has too; with containment, the keys of the match that the query has too.
  std::vector<std::uint32_t> bands;
  // With containment: how many keys the match has. Else 0.
  std::uint32_t keys = 0;
  // The shared passages with the most features, up to ten, the longest first. Empty for images, and
  // if the query was named by its id, because the index does not hold texts.
  std::vector<SharedPassage> passages;
  // Shared features that are in none of the passages.
  std::uint64_t more = 0;
  friend bool operator==(const FieldExplanation&, const FieldExplanation&) = default;
};

// One field of a match.
struct FieldMatch {
  std::string field;
  // The similarity of the field, in [0, 1].
  double score = 0;
  // The fraction behind the score, if the score is exact or the match is explained.
  Overlap overlap;
  // With containment: the share of the query's features that the document has, and the share of the
  // document's that the query has. The score is the larger one.
  std::optional<Shares> shares = {};
  // Present if the match is explained.
  std::optional<FieldExplanation> explanation = {};
  friend bool operator==(const FieldMatch&, const FieldMatch&) = default;
};

// How an index of containment is asked which passages of a text its documents have.
struct SharedPassagesOptions {
  // The fewest words of a passage: at least as many as a shingle has.
  std::uint32_t min_words = 50;
  // The largest number of documents for each query; those that have the most of its words.
  std::size_t limit = 10;
  // Conditions on the attributes of documents, all of which must be met.
  std::vector<Condition> where = {};
  // Counts are added to this object, if it is not null: a document is similar if it has a passage.
  SimilarCounts* counts = nullptr;
  // When the flag turns true, the call ends with Error(kInterrupted) within a second. May be null.
  const std::atomic<bool>* stop = nullptr;
  // As SimilarOptions::problem.
  std::function<void(std::size_t document, const Error& problem)> problem = {};
};

// A run of words of a query's text that a document has, too: it has every shingle of the run.
struct QueryPassage {
  std::string field;
  // The bytes [begin, end) of the text, from the first byte of the first word to the last of the
  // last, and the same in characters (code points). With +html they are of the readable text.
  std::uint64_t begin = 0, end = 0;
  std::uint64_t begin_char = 0, end_char = 0;
  // Its length in words, without stop words that the features drop.
  std::uint64_t words = 0;
  std::string text;
  friend bool operator==(const QueryPassage&, const QueryPassage&) = default;
};

// A document that has passages of a query.
struct PassageMatch {
  std::string id;
  // How many words of the query are in its passages.
  std::uint64_t words = 0;
  // By field and place; none is inside another.
  std::vector<QueryPassage> passages;
  std::vector<Attribute> attributes = {};
  friend bool operator==(const PassageMatch&, const PassageMatch&) = default;
};

// A document that is similar to a query.
struct Match {
  std::string id;
  // The score, in [0, 1], and whether it is exact and not estimated.
  double score = 0;
  bool exact = true;
  // The fields that the query or the match has, in the order of the schema.
  std::vector<FieldMatch> fields;
  // If the match is explained: the probability that bands and signatures find a pair whose fields
  // are as similar as these, with the fields taken as independent.
  std::optional<double> found_probability = {};
  // The attributes of the document, in the order of the schema.
  std::vector<Attribute> attributes = {};
  friend bool operator==(const Match&, const Match&) = default;
};

// What an index holds of a document (getHashes in the report of 2012).
struct IndexedDocument {
  struct Part {
    std::string field;
    // Unique features of the field.
    std::uint64_t features = 0;
    // The upper half of the key of each band, or of each value of a sketch without positions.
    std::vector<std::uint32_t> keys;
  };
  std::string id;
  // The fields that have features, in the order of the schema.
  std::vector<Part> fields;
  // The attributes that the document has, in the order of the schema.
  std::vector<Attribute> attributes = {};
};

}  // namespace benzer
