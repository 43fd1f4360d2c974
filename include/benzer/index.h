// Documents in, similar documents out: the two calls of the 2012 report, and what a living
// collection needs beside them.
//
//   benzer::Index index = benzer::Index::in_memory(schema);
//   index.index_documents(documents);
//   for (const benzer::Match& match : index.find_similar_documents(document, {.threshold = 0.7}))
//     use(match.id, match.score);
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "benzer/corpus.h"
#include "benzer/dedup.h"
#include "benzer/schema.h"
#include "benzer/similarity.h"
#include "benzer/store.h"

namespace benzer {

// What people have decided about documents that an index takes for similar.
struct Decision {
  std::uint64_t id = 0;       // given by the index
  std::uint64_t version = 0;  // grows with every change
  // Ids of documents: one at least, two if they are no duplicates. UTF-8.
  std::vector<std::string> members;
  // Stands for the cluster that it is in, in place of its first document. Empty: none was chosen.
  std::string keeper;
  // No two of the members count as similar, whatever their score.
  bool not_duplicates = false;
  std::string note;
  std::string at;  // when it was made or changed: "2026-11-22T21:03:00Z"
  friend bool operator==(const Decision&, const Decision&) = default;
};

// What answering took. Of equal documents (the same features in all fields) an index in memory, or
// a part of one in a folder, looks up one, the original of up to 4,096 copies: these are no
// candidates of their own.
struct SimilarCounts {
  std::uint64_t queries = 0;
  std::uint64_t candidates = 0;  // documents that a key was shared with, once for each field
  std::uint64_t compared = 0;    // of these the ones whose signatures are near enough
  // Documents that reach the threshold, copies among them; the limit comes later.
  std::uint64_t similar = 0;
  SimilarCounts& operator+=(const SimilarCounts& other) noexcept;
};

struct SimilarOptions {
  std::optional<Threshold> threshold = {};  // absent: the schema's min_threshold
  std::size_t limit = 10;                   // the best so many
  ScoreRule score = ScoreRule::kMean;
  // Compare all features; otherwise scores are estimates from cut signatures.
  bool exact = true;
  // Below min_threshold the bands find fewer than was promised: Error(kInvalidArgument), unless
  // this is set.
  bool allow_low_recall = false;
  // Say why each match is one: FieldMatch::explanation and Match::found_probability. Follows the
  // first 256 KiB of each text, at about a microsecond a word, where there are matches.
  bool explain = false;
  // Added to, if it is there; by one call at a time.
  SimilarCounts* counts = nullptr;
};

// A passage of the query's text that is in the other document, too, or a value.
struct SharedPassage {
  std::string text;            // of a long one the beginning, about 300 bytes
  bool is_cut = false;         // it goes on
  std::uint64_t features = 0;  // so many shared ones are in it, and in none before it
  friend bool operator==(const SharedPassage&, const SharedPassage&) = default;
};

struct FieldExplanation {
  std::vector<std::uint32_t> bands;  // (or keys) that met: their numbers, from 0
  // Those with most features first, up to ten. None if the query came by its id: the index holds
  // no text.
  std::vector<SharedPassage> passages;
  std::uint64_t more = 0;  // shared features that are in none of them
  friend bool operator==(const FieldExplanation&, const FieldExplanation&) = default;
};

struct FieldMatch {
  std::string field;
  double score = 0;
  Overlap overlap;  // of an exact score, or if it is explained
  std::optional<FieldExplanation> explanation = {};
  friend bool operator==(const FieldMatch&, const FieldMatch&) = default;
};

struct Match {
  std::string id;
  double score = 0;
  bool exact = true;
  std::vector<FieldMatch> fields;  // those that either document has, in the schema's order
  // If it is explained: that bands and signatures find two documents with fields as similar as
  // these, were each field seen for itself.
  std::optional<double> found_probability = {};
  friend bool operator==(const Match&, const Match&) = default;
};

struct IndexResult {
  enum class Outcome { kInserted, kReplaced, kRefused };
  Outcome outcome = Outcome::kInserted;
  std::string problem;      // why it was refused: one sentence
  WriteLevel reached = {};  // of what was not refused
  friend bool operator==(const IndexResult&, const IndexResult&) = default;
};

struct CheckResult {
  bool added = false;
  std::vector<Match> matches;  // because of which it was not; best first
  WriteLevel reached = {};     // if it was
};

// What a look at some documents, drawn at random, says of an index.
struct SampleFigures {
  std::uint64_t documents = 0;  // that were drawn
  // How similar they are to one another, by the mean of the fields, in bins of equal width from 0
  // to 1; a score of 1 is in the last one.
  std::uint64_t pairs = 0;
  std::vector<std::uint64_t> scores;
  // The buckets that they are in: of each field and band, the documents that have the same key.
  struct Buckets {
    std::uint64_t from = 0, to = 0;  // documents in the bucket
    // Estimates for the whole index: of such buckets, and of documents in them, all together.
    std::uint64_t entries = 0;
    double buckets = 0;  // a whole number
  };
  std::vector<Buckets> buckets;  // 1, 2, 3 to 4, 5 to 8, ...; as far as there are any
  std::uint64_t largest_bucket = 0;
  std::uint64_t candidates = 0;  // other documents that they share a key with
  std::uint64_t similar = 0;     // of these the ones that reach min_threshold
};

// What an index holds of a document (getHashes in the report).
struct IndexedDocument {
  struct Part {
    std::string field;
    std::uint64_t features = 0;  // unique
    // Of each band, or of each value of a sketch without positions: the upper half of its key.
    std::vector<std::uint32_t> keys;
  };
  std::string id;
  std::vector<Part> fields;
};

// A question to a whole index.
struct WholeIndexOptions : RunControl {
  std::optional<Threshold> threshold = {};  // absent: the schema's min_threshold
  ScoreRule score = ScoreRule::kMean;
  bool allow_low_recall = false;
  bool ignore_decisions = false;
  Clustering clustering = Clustering::kLeader;  // of for_each_cluster()
};

struct WholeIndexCounts {
  std::uint64_t documents = 0;
  std::uint64_t empty = 0;  // without features
  // Compared by signature, a pair once for each field where it met; of copies only originals, where
  // clusters are asked for.
  std::uint64_t candidates = 0;
  std::uint64_t pairs = 0;     // of documents, copies among them
  std::uint64_t clusters = 0;  // of for_each_cluster()
};

// Two documents of an index, a before b in its order, and how similar they are: not estimated.
struct ScoredIds {
  std::string_view a, b;  // valid during the call
  double score = 0;
};

// Documents of which one stands for the others. Of leaders it is for each of these the most similar
// one that stays and comes before it in the index's order; of components the first one of all that
// a chain of similar pairs connects. A keeper that was decided comes before all others.
struct IndexCluster {
  struct Link {
    std::string id;
    double score = 0;
    friend bool operator==(const Link&, const Link&) = default;
  };
  struct Member {
    std::string id;
    // With the keeper; of components a chain of pairs may lead below the threshold.
    double score = 0;
    // Of components, by which document it came in: the first of those that equal it, and for this
    // one the most similar of the others, of these the first.
    std::optional<Link> link;
    friend bool operator==(const Member&, const Member&) = default;
  };
  std::string keeper;
  std::vector<Member> members;  // the others, in the index's order
  double weakest = 1;           // the lowest of their scores
  friend bool operator==(const IndexCluster&, const IndexCluster&) = default;
};

// What a deduplication of an index would do.
struct IndexDedup {
  std::vector<IndexCluster> clusters;  // the keeper of each stays, and its members go
  WholeIndexCounts counts;
  std::uint64_t removals = 0;         // documents that go
  std::uint64_t largest_cluster = 0;  // documents, the keeper among them
  double weakest = 1;                 // the lowest score of all clusters

  // Hands over the ids of those that go, cluster by cluster, up to 1,000 at a time: few enough to
  // stop between them, and enough for a removal not to wait for the disk.
  void for_each_batch(const std::function<void(const std::vector<std::string>& ids)>& visit) const;
};

// As of a run (dedup.h); an index is one source.
std::vector<GuardRailBreach> check_guard_rails(const IndexDedup& found, const GuardRails& rails);

struct IndexStats {
  std::uint64_t documents = 0;
  // In memory.
  std::uint64_t table_bytes = 0, key_bytes = 0, cut_bytes = 0, feature_bytes = 0, id_bytes = 0;
  // In a folder.
  std::uint64_t segments = 0, segment_bytes = 0;
  std::uint64_t log_bytes = 0;  // that the next opening reads
  // That the next opening takes, if this process ends now without close(): what this one took for
  // the segments, and for log_bytes at the rate at which it read the log; of a log of less than
  // 8 MiB, which tells no rate, at 200 MB a second.
  double restart_seconds = 0;
  std::uint64_t removed = 0;     // documents whose bytes are still there, until compact()
  std::uint64_t torn_bytes = 0;  // found at the end of the log when it was opened, and left out
  // In Redis: masters, and the memory that they use, also for what is not of this index.
  std::uint64_t servers = 0, server_bytes = 0;
  // In a folder: absent as long as work in the background succeeds. Of an index that was opened to
  // read, what was known then.
  std::optional<MaintenanceProblem> maintenance_problem = {};
  // In a folder, by this process; absent if the index was opened to read.
  std::optional<UpkeepStats> upkeep = {};
};

struct OpenOptions {
  // Makes a new index if there is none. An index that is there must have the same schema.
  std::optional<Schema> create_with = {};
  // Absent: kSync of an index in a folder, kMemory of one in Redis.
  std::optional<WriteLevel> durability = {};
  // What is there when it is opened, also while somebody writes. Nothing is written.
  bool read_only = false;
  // What was written last is kept in memory, up to about so many bytes; then it becomes a segment
  // on the disk.
  std::uint64_t memtable_bytes = std::uint64_t{64} << 20;
  // When it turns true (may be null), calls that hash documents throw Error(kInterrupted), in the
  // middle of a long text too; of index_documents() those before it may be in. It must outlive the
  // index.
  const std::atomic<bool>* stop = nullptr;
  ServerOptions server = {};
  // Of an index in a folder: called with each new problem of the work in the background, by a
  // thread of the index, and not once more while the same goes on; may be empty. It must not throw,
  // nor call the index.
  std::function<void(const MaintenanceProblem& problem)> on_maintenance_problem = {};
};

// Hands over the documents of a corpus (of files: with InputOptions::fields as the schema has
// them), by batches, in order. A corpus of texts alone goes with a schema of one text field.
void read_documents(Corpus& corpus, const Schema& schema, int threads,
                    const std::function<void(std::vector<Document>& batch)>& visit);

class BulkLoad;

// Threads: all methods may be called by any number at the same time. Writers take turns;
// index_documents() hashes before its turn. A question sees the index as it was when it was asked,
// however long it takes: in memory and in a folder it holds up no writer, and no writer holds it up
// but for moments. As long as it takes, what is removed meanwhile keeps its memory, and merged
// segments their room on the disk.
// Errors: Error(kInvalidArgument) for a call that cannot be carried out. Of an index in a folder
// any call may throw Error(kCorrupt) or Error(kStorageFailed) for a page that it needs and that is
// damaged or cannot be read; other calls, and other indexes, go on.
//
// That a page cannot be read the system tells by SIGBUS: with the first such index that it opens,
// the library installs a handler, which leaves all other causes to the one that was there before.
class Index {
 public:
  // An index that lives as long as the object.
  static Index in_memory(const Schema& schema);
  // Is there an index in this folder (a file BENZER), or is it the address of one?
  static bool is_at(const std::string& location);
  // The index in this folder, or on a server:
  //   redis://[user:password@]host[:port]/name    rediss:// with TLS
  //   redis+cluster://host1[:port],host2[:port]/name    any nodes of the cluster; rediss+cluster://
  // One process writes to a folder at a time, and any number read; an index in Redis any number of
  // processes write to, too. Throws Error(kNoIndex) if there is none and none is to be made,
  // Error(kBusy) if another one writes, Error(kInvalidArgument) for another schema,
  // Error(kCorrupt), Error(kStorageFailed); in Redis Error(kUnavailable), Error(kDenied), and any
  // call may throw these: what was not acknowledged may be there or not, and can be written again.
  static Index open(const std::string& location, const OpenOptions& options = {});
  // The location without a password, for messages.
  static std::string shown(const std::string& location);
  // Closes, if close() has not been called; what fails then goes unnoticed, but nothing that was
  // acknowledged is lost.
  ~Index();
  Index(Index&&) noexcept;
  Index& operator=(Index&&) noexcept;

  const Schema& schema() const noexcept;  // completed

  // Inserts, or replaces by id; one result each. A document with an unknown field, or without an
  // id, is refused, and the others go in. Of two with the same id the later one stays.
  // threads: for hashing; 0: as many as there are cores.
  std::vector<IndexResult> index_documents(const std::vector<Document>& documents, int threads = 0);

  // For very many documents: see below. Throws Error(kBusy) if one is under way, and
  // Error(kInvalidArgument) for an index in memory, where it would be no faster.
  BulkLoad bulk_load();

  // Best first, then by id. The document need not be in the index; if one of the same id is, it is
  // left out. Throws Error(kInvalidArgument) for a document that index_documents() would refuse
  // (an id may be missing here).
  // Cost: each document that shares a key with the query is looked at, of copies in a segment the
  // original alone; memory 4 bytes for each such document and key. Of copies that match, as many
  // ids are read as the limit says, for each original. Nothing bounds how many different documents
  // share a key: `candidates` tells, and sample() the largest buckets.
  std::vector<Match> find_similar_documents(const Document& document,
                                            const SimilarOptions& options = {}) const;
  // The same for many at once, which takes less time for each.
  std::vector<std::vector<Match>> find_similar_documents(const std::vector<Document>& documents,
                                                         const SimilarOptions& options = {},
                                                         int threads = 0) const;
  // By the id of a document in the index. Throws Error(kNotFound).
  std::vector<Match> find_similar_to(std::string_view id, const SimilarOptions& options = {}) const;

  // Adds the document if no other one is similar, in one step: of two threads with the same story
  // exactly one adds it; in Redis also of two processes, as long as each ends within five seconds
  // (else Error(kBusy), and nothing is added). A document of the same id is replaced and not
  // compared with.
  CheckResult check_and_add(const Document& document, const SimilarOptions& options = {});

  // All pairs of similar documents, each once, sorted by the index's order: that in which documents
  // were put in, as long as none is replaced or removed; in Redis one that only the ids decide. The
  // same for any number of threads.
  // An exception that visit() or progress() throws ends it, and comes through.
  // visit() may ask and change an index in memory or in a folder; what it changes this call does
  // not see.
  // Cost: a few microseconds a document, and what there is to compare. Memory: 4 bytes a document,
  // 12 more a copy, in Redis about 100; and 16 for each document that is similar to one. A pair of
  // copies is a pair, so 10,000 copies are 50 million of them; for_each_cluster() has a member
  // each.
  WholeIndexCounts for_each_similar_pair(
      const WholeIndexOptions& options,
      const std::function<void(const ScoredIds& pair)>& visit) const;
  // Who stays and who goes of similar documents, by the keepers in the index's order: as
  // deduplicate() (dedup.h) chooses of the same documents in the same order. Memory: 24 bytes a
  // document, 12 more a copy, 32 for each that goes, and 24 for each of the largest family. Leaders
  // cost another look from each document that stays and has pairs, by one thread. An original and
  // its copies in a segment are looked up and compared once.
  WholeIndexCounts for_each_cluster(
      const WholeIndexOptions& options,
      const std::function<void(const IndexCluster& cluster)>& visit) const;

  // All clusters of for_each_cluster() at once: see also check_guard_rails() (guard.h). To carry it
  // out, remove() their members; nobody else may write meanwhile. Memory: the ids.
  IndexDedup deduplicate(const WholeIndexOptions& options) const;

  // What people decide about similar documents; for_each_similar_pair() and for_each_cluster() go
  // by it: no pair of documents that are not duplicates, though a third one may be similar to both;
  // and a chosen keeper stands for its cluster (of several the one that was decided last), from
  // which documents that are no duplicates of it are left out. Kept beside an index in a folder,
  // synced; not for indexes in Redis: Error(kInvalidArgument).
  std::vector<Decision> decisions() const;
  // A new one if its id is 0; else the version must be that of the decision that it replaces.
  // Nothing: it is another one, or the decision has gone. The result has its id, version and time.
  std::optional<Decision> put_decision(Decision decision);
  // False if there is none of that version.
  bool remove_decision(std::uint64_t id, std::uint64_t version);

  // For each: was it there? reached: what outlives what from now on.
  std::vector<bool> remove(const std::vector<std::string>& ids, WriteLevel* reached = nullptr);

  std::optional<IndexedDocument> get(std::string_view id) const;
  bool contains(std::string_view id) const;
  // Calls visit(id) for each document, in no order; visit() may do what that of
  // for_each_similar_pair() may.
  void for_each_id(const std::function<void(std::string_view id)>& visit) const;
  std::uint64_t size() const;
  IndexStats stats() const;
  // That of stats() alone, which costs nothing.
  std::optional<MaintenanceProblem> maintenance_problem() const;
  // Draws so many documents, at most all; another seed draws others. Of very many candidates of a
  // drawn one, some stand for the others. Cost: some nanoseconds for each document of the index,
  // comparing the drawn ones with one another, and a millisecond for each with very many
  // candidates.
  SampleFigures sample(std::uint32_t documents, std::uint64_t seed = 0) const;

  // For indexes in a folder; of others close() and compact() do nothing.
  // Makes the next open() fast: what is in memory becomes a segment. Where only that fails,
  // everything is in the log, and maintenance_problem() says why. Throws Error(kStorageFailed) if
  // something is not there either.
  void close();
  void compact();  // one segment without what was removed; takes as much room again
  // Reads every byte of the segments; what else there is was read when it was opened. In Redis,
  // holds all records and postings against one another, also while others write: memory 40 bytes a
  // document. Throws Error(kCorrupt) for the first that is wrong, Error(kStorageFailed) for one
  // that cannot be read.
  void verify() const;
  // The index in a folder that is made or empty: an index of its own, as the disk has this one at
  // one moment, also while this or another process writes. Every byte of it is read and checked,
  // linked or copied; Error(kCorrupt) if a file is damaged, and then there is no snapshot.
  // Error(kStorageFailed), Error(kInvalidArgument) if the folder has files. Cost: reading all; room
  // for the logs, or with options.copy for all. Synced when it returns.
  SnapshotResult snapshot(const std::string& folder, const SnapshotOptions& options = {}) const;
  // What each write to this index reaches, or fails.
  WriteLevel durability() const;

  // The probability that a pair at this threshold is found.
  double expected_recall(const Threshold& threshold) const;

 private:
  friend class BulkLoad;
  friend class WholeIndex;
  struct Impl;
  explicit Index(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Puts documents into an index by way of one sorted segment, which takes less time and a third of
// the bytes written. All or nothing: they are seen, and synced, when finish() returns; without it
// (destroyed, killed) nothing of them is there. Readers go on meanwhile. Writers are refused with
// Error(kBusy): a load may take hours, which is too long to wait, and whether a document written
// meanwhile is older or newer than one of the same id that is loaded could not be said.
// Memory: about 16 bytes a document, 256 MiB, and the 8 bytes a document of one band.
// Threads: one. The index must outlive it. Errors: Error(kStorageFailed); after one the load must
// be begun again.
class BulkLoad {
 public:
  BulkLoad(BulkLoad&&) noexcept;
  BulkLoad& operator=(BulkLoad&&) noexcept;
  ~BulkLoad();

  // For each document why it is refused; empty: it is not. Of two with the same id the later one
  // stays. threads: for hashing; 0: as many as there are cores.
  std::vector<std::string> add(const std::vector<Document>& documents, int threads = 0);

  struct Result {
    std::uint64_t documents = 0;  // that were put in
    std::uint64_t replaced = 0;   // that were in the index under their ids
  };
  // Once, and nothing after it. Error(kStorageFailed) that comes when all was written may leave it
  // open whether the documents are in: open the index again to see.
  Result finish();

 private:
  friend class Index;
  struct Impl;
  explicit BulkLoad(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Brings the index in this folder into order: reads all of it, keeps each document whose own
// checksum is right, rebuilds keys and tables from these, and writes a new manifest. Of a sound
// index nothing is changed. Damaged files are copied to the folder `damaged` in it before anything
// else is done, so it takes as much room as they have twice. Ended in between, it can be done
// again. What is on sectors that cannot be read is lost like damaged bytes. schema: needed if the
// file BENZER is damaged; otherwise it must be the same, which can only be checked where there are
// segments. Errors: Error(kBusy) if somebody writes; Error(kNoIndex); Error(kCorrupt) if the schema
// is needed; Error(kInvalidArgument) if it is another one; Error(kStorageFailed).
//
// Of an index in Redis: postings that a write has left which did not come to its end are removed,
// and those are added that a document lacks, also while others use the index.
RepairReport repair_index(const std::string& location, const std::optional<Schema>& schema = {},
                          const ServerOptions& server = {});

}  // namespace benzer
