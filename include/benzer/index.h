// An index holds documents and answers which of them are similar to a new one; it can be kept in
// memory, in a folder or in Redis.
//
//     const benzer::Schema schema = benzer::Schema::parse("text=text:word5 | min:0.7");
//     benzer::Index index = benzer::Index::open("news.benzer", {.create_with = schema});
//     index.index_documents(
//         {{"a", {benzer::Field::of_text("text", "A storm hit the coast on Monday night")}}});
//     const benzer::Document next{
//         "b", {benzer::Field::of_text("text", "A storm hit the coast on Tuesday night")}};
//     for (const benzer::Match& match : index.find_similar_documents(next, {.threshold = 0.7}))
//       std::cout << match.id << ' ' << match.score;
//     if (index.check_and_add(next).added) std::cout << "this is news";
//     index.close();
//
// index_documents() and find_similar_documents() are the two calls of the 2012 report; the others
// are what an index needs that changes while it is used.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "benzer/corpus.h"
#include "benzer/dedup.h"
#include "benzer/input.h"
#include "benzer/query.h"
#include "benzer/schema.h"
#include "benzer/similarity.h"
#include "benzer/store.h"

namespace benzer {

// What people have decided about documents that an index finds similar.
struct Decision {
  // The number of the decision, given by the index from 1 on and never used again; 0 for a new one.
  std::uint64_t id = 0;
  // The version, which grows by 1 with every change; given by the index.
  std::uint64_t version = 0;
  // The ids of the documents that the decision is about, each once and in UTF-8: at least one, and
  // at least two if they are not duplicates.
  std::vector<std::string> members;
  // The member that is the keeper of the cluster that it is in, instead of the cluster's first
  // document. Empty if none was chosen, and if they are not duplicates.
  std::string keeper;
  // Whether no two of the members count as similar, whatever their score and whatever later
  // decisions say: until this one is changed or removed.
  bool not_duplicates = false;
  // A note for people, in UTF-8.
  std::string note;
  // When the decision was made or changed, in UTC: "2026-11-22T21:03:00.123456Z", later than for
  // all decisions before. Given by the index.
  std::string at;
  friend bool operator==(const Decision&, const Decision&) = default;
};

// What became of one document that was to be put into an index.
struct IndexResult {
  // kNotThere: the index has no document with this id, whose attributes were to be changed.
  enum class Outcome { kInserted, kReplaced, kRefused, kNotThere };
  Outcome outcome = Outcome::kInserted;
  // Why the document was refused, in one sentence; empty otherwise.
  std::string problem;
  // What the write has reached; meaningless if the document was refused.
  WriteLevel reached = {};
  friend bool operator==(const IndexResult&, const IndexResult&) = default;
};

// The answer of check_and_add().
struct CheckResult {
  bool added = false;
  // The matches because of which it was not, best first.
  std::vector<Match> matches;
  // What the write has reached, if it was added.
  WriteLevel reached = {};
};

// How a question about a whole index is answered.
struct WholeIndexOptions : RunControl {
  // The lowest score of a similar pair; absent means the schema's min_threshold.
  std::optional<Threshold> threshold = {};
  // How the similarities of the fields become one score.
  ScoreRule score = ScoreRule::kMean;
  // Allows a threshold below min_threshold, as SimilarOptions does.
  bool allow_low_recall = false;
  // Whether the answer is as if no decisions had been made.
  bool ignore_decisions = false;
  // How similar documents become clusters; for_each_similar_pair() does not use it. Containment is
  // possible with leaders only.
  Clustering clustering = Clustering::kLeader;
  // Whether deduplicate() also returns what it has compared, for a report (IndexDedup::compared).
  bool collect_compared = false;
};

// What a question about a whole index has counted.
struct WholeIndexCounts {
  std::uint64_t documents = 0;
  // Documents without features.
  std::uint64_t empty = 0;
  // Pairs whose signatures were compared, once for each field where a key agrees. For clusters,
  // only originals are compared, not their copies.
  std::uint64_t candidates = 0;
  // Similar pairs of documents, copies included.
  std::uint64_t pairs = 0;
  // Clusters; 0 for for_each_similar_pair().
  std::uint64_t clusters = 0;
  // Further similar pairs, which decisions say are not duplicates.
  std::uint64_t set_apart = 0;
  // Clusters whose keeper a decision has chosen; 0 for for_each_similar_pair().
  std::uint64_t chosen_keepers = 0;
};

// Two documents of an index and their exact score. a is before b in the order of the index; with
// containment it is the one with more features, and of two with equally many the earlier one.
struct ScoredIds {
  // The ids; valid during the call.
  std::string_view a, b;
  double score = 0;
  // With containment: how much of a is in b, and of b in a. Of several fields, what the score rule
  // makes of their shares.
  std::optional<Shares> shares = {};
};

// A keeper with the documents that would be removed because of it.
//
// With leader clustering the keeper of a document is the most similar kept document that comes
// before it in the index's order. With components it is the first document of all that a chain of
// similar pairs connects. A keeper that people have decided on comes before all others.
//
// With containment the document with the most features, of all its fields, comes first, and of
// equally large ones the earliest. A document is removed if a kept one before it has enough of its
// features. So no kept document is contained in another one, except for keepers that people have
// decided on; such a keeper does not remove a larger document either, unless it has enough of its
// features. There are leaders only.
struct IndexCluster {
  // Another document and the exact score with it.
  struct Link {
    std::string id;
    double score = 0;
    friend bool operator==(const Link&, const Link&) = default;
  };
  // A document that would be removed.
  struct Member {
    std::string id;
    // The exact score with the keeper. With components it may be below the threshold, since a chain
    // of pairs leads there.
    double score = 0;
    // Components only: the document that this one is linked to. A copy is linked to the first of
    // the documents that equal it, and that one to the most similar of the others, then the first.
    std::optional<Link> link;
    // With containment: how much of this document the keeper has, which is the score, and how much
    // of the keeper this document has. Of several fields as in ScoredIds.
    std::optional<Shares> shares = {};
    friend bool operator==(const Member&, const Member&) = default;
  };
  std::string keeper;
  // The other documents, in the index's order.
  std::vector<Member> members;
  // The lowest of their scores.
  double weakest = 1;
  // When the keeper expires, in UTC; empty: never. Its members may expire later.
  std::string keeper_expires_at = {};
  friend bool operator==(const IndexCluster&, const IndexCluster&) = default;
};

// What a deduplication of an index would remove.
struct IndexDedup {
  // The clusters by keeper, in the index's order. Each keeper is kept and its members are removed.
  std::vector<IndexCluster> clusters;
  WholeIndexCounts counts;
  // Documents that would be removed: the members of all clusters.
  std::uint64_t removals = 0;
  // Documents of the largest cluster, the keeper included; 0 without clusters.
  std::uint64_t largest_cluster = 0;
  // The lowest score of all clusters; 1 without clusters.
  double weakest = 1;
  // What was compared; only with WholeIndexOptions::collect_compared.
  std::optional<ComparedPairs> compared = {};

  // Hands over the ids of the documents to remove, cluster by cluster, up to 1,000 at a time: few
  // enough to stop between two batches, and enough that a removal seldom waits for the disk.
  void for_each_batch(const std::function<void(const std::vector<std::string>& ids)>& visit) const;
};

// Does the same as check_guard_rails() of benzer/dedup.h; the index counts as one source.
std::vector<GuardRailBreach> check_guard_rails(const IndexDedup& found, const GuardRails& rails);

// How an index is opened.
struct OpenOptions {
  // The schema for a new index, which is made if there is none at the location. An existing index
  // must have the same schema. Absent: the index must exist.
  std::optional<Schema> create_with = {};
  // When writes are acknowledged; absent means kSync for a folder and kMemory for Redis.
  std::optional<WriteLevel> durability = {};
  // Opens the index to read. It shows what was there when it was opened, also while another process
  // writes. Nothing is written, not even a lock.
  bool read_only = false;
  // For an index in a folder: how many bytes of new documents are kept in memory, about, before
  // they become a segment on the disk.
  std::uint64_t memtable_bytes = std::uint64_t{64} << 20;
  // When the flag turns true, calls that hash documents throw Error(kInterrupted), even amid a long
  // text, and so do calls that wait for a server of an index in Redis. Calls with a flag of their
  // own look at that one only. Some documents of an interrupted index_documents() may be in; in
  // Redis what any interrupted call was writing, too. May be null; must outlive the index.
  const std::atomic<bool>* stop = nullptr;
  // For an index in Redis: how to reach the servers.
  ServerOptions server = {};
  // Allows to write to, and to copy, an index in a folder where `benzer serve` keeps the documents,
  // too (Index::kKeptDocuments): only for a caller that keeps that file up to date, or changes no
  // documents.
  bool allow_kept_documents = false;
  // For an index in a folder: called with each new problem of the background work, once as long as
  // the same thing fails, by a thread of the index. It must not throw, nor call the index.
  std::function<void(const MaintenanceProblem& problem)> on_maintenance_problem = {};
};

// Returns the fields of an index and then its attributes, as files have them.
std::vector<InputField> input_fields(const Schema& schema);
// Returns the fields of an index alone, for documents that are asked about: their attributes are
// not used, so they are not read.
std::vector<InputField> query_fields(const Schema& schema);

// Reads the documents of a corpus and hands them over in order, in batches, from one thread at a
// time. The fields of the corpus must be those of the schema, in the same order, and then all of
// its attributes or none: for files set InputOptions::fields to input_fields(schema), or for
// queries to query_fields(schema). A corpus of texts or of value sets alone, such as a
// MemoryCorpus, goes with a schema of one such field. threads: 0 means one for each core. Throws
// what Corpus::scan() throws, and what visit() throws.
void read_documents(Corpus& corpus, const Schema& schema, int threads,
                    const std::function<void(std::vector<Document>& batch)>& visit);

class BulkLoad;

// Documents that Index::hash_documents() has hashed for an index, so that putting them in takes
// moments. May be moved.
class HashedDocuments {
 public:
  HashedDocuments(HashedDocuments&&) noexcept;
  HashedDocuments& operator=(HashedDocuments&&) noexcept;
  ~HashedDocuments();

  // Returns for each document why it is refused, as a sentence; empty if it can be put in.
  std::span<const std::string> problems() const noexcept;

 private:
  friend class Index;
  struct Impl;
  explicit HashedDocuments(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// An index: documents go in by their ids, and it answers which of them are similar.
//
// Threads: any number may call all methods at the same time. Writers take turns, but
// index_documents() hashes before its turn. A query sees the index as it was when the query began,
// however long it takes. In memory and in a folder a query holds up no writer, and a writer holds
// up a query for moments only. While a query runs, removed documents keep their memory, and merged
// segments their space on the disk.
//
// Errors: Error(kInvalidArgument) for a call that cannot be carried out. For an index in a folder
// any call may throw Error(kCorrupt) or Error(kStorageFailed) if a page that it needs is damaged or
// cannot be read; other calls, and other indexes, are not affected. For an index in Redis any call
// may throw Error(kUnavailable) or Error(kDenied); a write that was not acknowledged then may be
// there or not, and can be repeated.
//
// The system reports an unreadable page by SIGBUS. With the first index in a folder that it opens,
// the library installs a handler, which passes all other causes on to the handler that was there
// before. In a forked process an index that is not in memory takes no calls, and closes nothing.
class Index {
 public:
  // The file in the folder of an index where `benzer serve` keeps the documents as they were sent.
  static constexpr const char* kKeptDocuments = "documents.sqlite";

  // Makes an index in memory, which lives as long as the object. Throws Error(kInvalidArgument) for
  // a schema that cannot be completed.
  static Index in_memory(const Schema& schema);
  // Returns whether an index is in this folder (a file BENZER), or whether the location is the
  // address of one in Redis. The server is not asked.
  static bool is_at(const std::string& location);
  // Opens the index in this folder, or on a server:
  //   redis://[user:password@]host[:port]/name    rediss:// with TLS
  //   redis+cluster://host1[:port],host2[:port]/name    any nodes of the cluster; rediss+cluster://
  // One process at a time may write to a folder, and any number may read. Any number of processes
  // may read and write an index in Redis. A later chdir() changes nothing. If the folder is moved
  // while it is open to write, calls that need a new file throw Error(kStorageFailed).
  //
  // Throws Error(kNoIndex) if there is no index and none is to be made, Error(kBusy) if another
  // process writes to the folder, Error(kInvalidArgument) if the index has another schema, the
  // durability is not one of such an index, or writing needs OpenOptions::allow_kept_documents,
  // Error(kCorrupt) if a file is damaged, Error(kStorageFailed) if one cannot be read or written,
  // and for Redis Error(kUnavailable) and Error(kDenied). Cost: IndexStats::restart_seconds.
  static Index open(const std::string& location, const OpenOptions& options = {});
  // Returns the location without a password, for messages.
  static std::string shown(const std::string& location);
  // Closes the index if close() was not called. A failure is not reported then, but nothing that
  // was acknowledged is lost.
  ~Index();
  Index(Index&&) noexcept;
  Index& operator=(Index&&) noexcept;

  // Returns the schema, completed with its bands.
  const Schema& schema() const noexcept;

  // Inserts documents, and replaces those that have the same id. Returns one result for each. A
  // document that has no id, an unknown field or an image that cannot be decoded is refused, and
  // the others are put in. If two have the same id, the later one remains. threads: used for
  // hashing; 0 means one for each core.
  //
  // Returns when all of it has reached the durability of the index. Throws Error(kInterrupted) if
  // OpenOptions::stop turns true; the documents before may be in. Cost: extracting and sketching
  // each field (benzer/features.h, benzer/sketch.h), in parallel, and writing 8 bytes a feature.
  std::vector<IndexResult> index_documents(const std::vector<Document>& documents, int threads = 0);
  // The same in two steps, for callers with a lock that hashing should not hold. stop: when it
  // turns true, hashing ends with Error(kInterrupted); may be null, and must outlive the call. The
  // hashes are in memory, at 8 bytes a feature, and only an index of an equal schema takes them.
  HashedDocuments hash_documents(const std::vector<Document>& documents, int threads = 0,
                                 const std::atomic<bool>* stop = nullptr) const;
  std::vector<IndexResult> index_documents(HashedDocuments documents);

  // Begins to put in very many documents at once; see BulkLoad below. Throws Error(kBusy) if a bulk
  // load is under way, and Error(kInvalidArgument) for an index that is not in a folder, where it
  // would be no faster.
  BulkLoad bulk_load();

  // Returns the documents that are similar to a document, best first, then by id. The document need
  // not be in the index and may lack an id; a document with its id is left out of the matches.
  //
  // Throws Error(kInvalidArgument) for a document that index_documents() would refuse and for a
  // threshold below min_threshold (SimilarOptions::allow_low_recall), Error(kBadInput) for an image
  // that cannot be read or decoded, and Error(kInterrupted).
  //
  // Cost: a look at each document that shares a band key with the query, of copies in a segment at
  // the original only. Memory: 4 bytes for each such document and key. Of matching copies as many
  // ids are read as the limit says, for each original. Nothing bounds how many different documents
  // share a key: SimilarCounts::candidates tells it, and sample() tells the largest buckets. With
  // SimilarOptions::floor, a look at all documents, which many queries in one call share.
  std::vector<Match> find_similar_documents(const Document& document,
                                            const SimilarOptions& options = {}) const;
  // Does the same for many documents, which takes less time for each. Returns the matches of each
  // document, in their order. A document that is refused ends the call, or with
  // SimilarOptions::problem only has no matches. If the index changes meanwhile, each 64 of them
  // see it as of one moment. threads: 0 means one for each core.
  std::vector<std::vector<Match>> find_similar_documents(const std::vector<Document>& documents,
                                                         const SimilarOptions& options = {},
                                                         int threads = 0) const;
  // Returns the documents that are similar to a document of the index. Throws Error(kNotFound) if
  // the index has no document with this id.
  std::vector<Match> find_similar_to(std::string_view id, const SimilarOptions& options = {}) const;

  // Returns for each document which passages of its texts documents of the index have: those that
  // have the most of its words first, then by id. A document with its id is left out. Only fields
  // of text:wordN and text:wordsN have passages.
  //
  // The index holds the shingles of its documents, and not where they stand. A run of words whose
  // shingles a document has may stand there in several pieces that overlap by all but one word of a
  // shingle. A passage of w words has w - n + 1 shingles; if they differ, it is found with the
  // probability KeySampling::found_probability() of that number: 0.999998 for 50 words in shingles
  // of 5.
  //
  // Throws Error(kInvalidArgument) for an index that has no containment or no such field, and for
  // min_words below a shingle, and Error(kInterrupted). A document that index_documents() would
  // refuse, or with a text of more than FeatureExtractor::kMostTraced features, ends the call with
  // Error(kInvalidArgument), or with SharedPassagesOptions::problem only has no matches. threads: 0
  // means one for each core. Cost: about a microsecond for each word, and a look at all features of
  // each document that shares a key with a query.
  std::vector<std::vector<PassageMatch>> find_shared_passages(
      const std::vector<Document>& documents, const SharedPassagesOptions& options = {},
      int threads = 0) const;

  // Adds the document if no other one is similar to it, in one step: if two threads have the same
  // story, exactly one adds it. A document of the same id is replaced and not compared with.
  // In Redis the same is true of two processes, as long as each ends within five seconds; otherwise
  // it throws Error(kBusy), and nothing is added. If the server stops answering while it is written
  // to, the document may be there (Error(kUnavailable)). Throws what find_similar_documents()
  // throws, and Error(kInvalidArgument) for a document without an id. Other writers wait meanwhile.
  CheckResult check_and_add(const Document& document, const SimilarOptions& options = {});
  // The same with what hash_documents() made of this document alone.
  CheckResult check_and_add(const Document& document, HashedDocuments hashed,
                            const SimilarOptions& options = {});

  // Hands over all pairs of similar documents, each once, sorted by the index's order. That is the
  // order in which documents were put in, except that a folder's segments may change places when
  // they are merged; in Redis only the ids decide it. Threads do not change the result. With
  // containment a is the larger document of a pair, so the pairs of a large document come together.
  //
  // An exception that visit() or options.progress() throws ends the call and reaches the caller.
  // visit() may query and change an index in memory or in a folder; this call does not see what it
  // changes. Throws Error(kInterrupted), and Error(kInvalidArgument) for a threshold below
  // min_threshold.
  //
  // Cost: a few microseconds a document, and the comparisons; with containment the features of all
  // documents are read once more, to count them. Memory: 4 bytes a document, with containment 8, 12
  // more for a copy, about 100 in Redis, and 32 for each document that is similar to one. A pair of
  // copies is a pair, so 10,000 copies are 50 million of them; for_each_cluster() has one member
  // for each.
  WholeIndexCounts for_each_similar_pair(
      const WholeIndexOptions& options,
      const std::function<void(const ScoredIds& pair)>& visit) const;
  // Hands over the clusters of similar documents: which would be kept and which removed, as
  // deduplicate() of benzer/dedup.h chooses among the same documents in the same order. Clusters
  // come sorted by their keepers in the index's order. Errors and visit() are as above.
  //
  // Memory: 24 bytes a document, with containment 28, 12 more for a copy, 56 for each removed one,
  // and 32 for each document of the largest cluster. With leader clustering each kept document that
  // has pairs is looked up once more, by one thread. Of an original and its copies in a segment
  // only the original is looked up and compared.
  WholeIndexCounts for_each_cluster(
      const WholeIndexOptions& options,
      const std::function<void(const IndexCluster& cluster)>& visit) const;

  // Returns all clusters of for_each_cluster(). Nothing is removed: check the result with
  // check_guard_rails(), and then call remove() for the ids of IndexDedup::for_each_batch(). Nobody
  // else may write meanwhile. Memory: the ids.
  IndexDedup deduplicate(const WholeIndexOptions& options) const;

  // Returns what people have decided about similar documents, by the ids of the decisions.
  //
  // for_each_similar_pair() and for_each_cluster() follow the decisions. Documents that are not
  // duplicates make no pair, though a third one may be similar to both. A chosen keeper is the
  // keeper of its cluster (of several the one that was decided last), and documents that are not
  // duplicates of it are left out of the cluster. Queries do not follow them.
  //
  // An index in a folder keeps decisions in a synced file next to its data, one in memory keeps
  // them as long as it lives, and one in Redis keeps none.
  std::vector<Decision> decisions() const;
  // Returns the decision with the smallest id from this one on, or nothing if there is none.
  std::optional<Decision> decision_from(std::uint64_t id) const;
  // Stores a decision: a new one if its id is 0, else it replaces the decision with this id and
  // version. Returns it with its id, version and time, or nothing if it has another version by now
  // or was removed. Throws Error(kInvalidArgument) for an index in Redis or opened read_only, and
  // for members, keeper or note that are not allowed, and Error(kStorageFailed).
  std::optional<Decision> put_decision(Decision decision);
  // Removes a decision. Returns false if none has this id and version. Throws as put_decision().
  bool remove_decision(std::uint64_t id, std::uint64_t version);

  // Removes documents. Returns for each id whether it was there. reached: may be null; it receives
  // what the removal has reached.
  std::vector<bool> remove(const std::vector<std::string>& ids, WriteLevel* reached = nullptr);

  // Changes attributes of documents without their texts. Returns one result for each change:
  // kReplaced, kNotThere, or kRefused with the problem, if it names an attribute that the schema
  // does not have, or a value of another kind. A document that is changed keeps the time at which
  // it expires, unless the change sets expires_at; in the index's order it comes last, as if it
  // were put in again. Each document is written again with its hashes, which costs what putting it
  // in does, without the hashing. Returns when all has reached the durability of the index.
  std::vector<IndexResult> change_attributes(const std::vector<AttributeChange>& changes);

  // Returns which documents have expired. Until they are removed they take room and are counted by
  // size(), but no query, list or dedup sees them. Cost: reads the attributes of all documents: in
  // a folder about a page of the disk each. Memory: the ids. Throws Error(kInterrupted) when
  // `stop`, which may be null, turns true.
  ExpiredDocuments expired(const std::atomic<bool>* stop = nullptr) const;
  // Removes those of the documents that have expired; the others may have been put in again since
  // expired() was called. Returns for each whether it was removed. reached: as for remove().
  std::vector<bool> remove_expired(const std::vector<std::string>& ids,
                                   WriteLevel* reached = nullptr);

  // Returns what the index holds of a document, or nothing if it has no document with this id.
  std::optional<IndexedDocument> get(std::string_view id) const;
  // Returns whether the index has a document with this id.
  bool contains(std::string_view id) const;
  // Returns whether the index has a document with the id of this one, and all of its features are
  // those of this one. Other texts may have the same features. Throws what find_similar_documents()
  // throws for a document. Cost: hashing the document. stop: as in SimilarOptions.
  bool has_features_of(const Document& document, const std::atomic<bool>* stop = nullptr) const;
  // Calls visit(id) for each document that has not expired, in no particular order. visit() may do
  // what that of for_each_similar_pair() may.
  void for_each_id(const std::function<void(std::string_view id)>& visit) const;
  // Returns the `most` smallest ids that are greater than `after`, ascending, of documents that
  // have not expired; fewer if there are no more. So a list can be read in pages. An index in a
  // folder sorts its ids at the first call, and again what a merge has written anew (some 0.3 s for
  // half a million, and 4 bytes of memory for each); after that a page takes as long as its own
  // documents. In Redis each call goes through all documents. stop: ends it with
  // Error(kInterrupted), but for the sorting.
  std::vector<std::string> ids_after(std::string_view after, std::size_t most,
                                     const std::atomic<bool>* stop = nullptr) const;
  // Returns the number of documents, also of those that have expired and are not removed yet.
  std::uint64_t size() const;
  IndexStats stats() const;
  // Returns stats().maintenance_problem alone, which costs nothing.
  std::optional<MaintenanceProblem> maintenance_problem() const;
  // Draws documents at random and looks at them. documents: how many, at most all. seed: another
  // one draws others. A drawn document with more than 512 candidates is compared with some of them,
  // which count for the others. Cost: some nanoseconds for each document of the index, the
  // comparison of the drawn ones with one another, and a millisecond for each with very many
  // candidates. stop: when it turns true, the call ends with Error(kInterrupted); may be null.
  SampleFigures sample(std::uint32_t documents, std::uint64_t seed = 0,
                       const std::atomic<bool>* stop = nullptr) const;

  // Writes what is in memory to a segment, which makes the next open() fast. The index may be used
  // further. If that fails, nothing is lost, since the log has it, and maintenance_problem() says
  // why. Throws Error(kStorageFailed) if something is not in the log. Only an index in a folder
  // does anything here.
  void close();
  // Writes one segment without the removed documents, which needs as much space as the index takes
  // once more. Only an index in a folder does anything here.
  void compact();
  // Reads and checks every byte of the files that count now, as the disk has them, also while this
  // or another process writes; of logs everything up to an incomplete end that was never synced.
  // In Redis it compares all records with all postings, also while others write, which takes 40
  // bytes of memory a document. Throws Error(kCorrupt) for the first damage, Error(kStorageFailed)
  // for a file that cannot be read, and Error(kBusy) if a writer replaces files all the time.
  void verify() const;
  // Writes a snapshot: an index of its own in a folder that is made, or is empty, with what the
  // disk has of this index at one moment, also while this or another process writes, and with its
  // decisions. Every byte is read and checked, and linked or copied (SnapshotOptions).
  //
  // Throws Error(kCorrupt) if a file is damaged, and then there is no snapshot,
  // Error(kStorageFailed), and Error(kInvalidArgument) if the folder has files. Cost: reads
  // everything; needs space for the logs, and with options.copy for everything. All of it is synced
  // when the call returns.
  SnapshotResult snapshot(const std::string& folder, const SnapshotOptions& options = {}) const;
  // Returns what each write to this index reaches, or else fails.
  WriteLevel durability() const;

  // Returns the probability that a pair exactly at this threshold is found.
  double expected_recall(const Threshold& threshold) const;
  // Returns the least probability with which a query with SimilarOptions::floor finds each of the
  // most similar documents: 1 if features are compared without a look at signatures, else 1 minus a
  // hundredth of the misses that the schema's recall allows.
  double floor_recall() const;

 private:
  friend class BulkLoad;
  friend class WholeIndex;
  struct Impl;
  explicit Index(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Puts documents into an index by way of one sorted segment, which takes less time and a third of
// the bytes written. All or nothing: the documents are seen, and synced, when finish() returns. If
// the object is destroyed or the process is killed before, none of them is there.
//
//     benzer::BulkLoad load = index.bulk_load();
//     const std::vector<std::string> problems = load.add(documents);
//     load.finish();
//
// Readers are not held up. Writers are refused with Error(kBusy): a load may take hours, which is
// too long to wait, and it could not be said whether a document that is written meanwhile is older
// or newer than a loaded one of the same id.
//
// Memory: about 16 bytes a document, 256 MiB, and the keys of one band at 8 bytes a document.
// Threads: one at a time. The index must outlive the load. Errors: Error(kStorageFailed); after one
// the load must be begun again.
class BulkLoad {
 public:
  BulkLoad(BulkLoad&&) noexcept;
  BulkLoad& operator=(BulkLoad&&) noexcept;
  // Discards the load if finish() was not called.
  ~BulkLoad();

  // Adds documents. Returns for each why it was refused; empty if it was not. If two have the same
  // id, the later one remains. threads: used for hashing; 0 means one for each core.
  std::vector<std::string> add(const std::vector<Document>& documents, int threads = 0);

  // What a load has done.
  struct Result {
    // Documents that are in the index because of the load.
    std::uint64_t documents = 0;
    // Documents, also expired ones, that were in the index under the same ids, and were replaced.
    std::uint64_t replaced = 0;
  };
  // Makes the documents part of the index. Call it once, and nothing after it. If it throws
  // Error(kStorageFailed) after everything was written, it is open whether the documents are in:
  // open the index again to see.
  Result finish();

 private:
  friend class Index;
  struct Impl;
  explicit BulkLoad(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Repairs the index in this folder: reads all of it, keeps each document whose own checksum is
// right, rebuilds keys and tables from these, and writes a new manifest. A sound index is not
// changed.
//
// Damaged files are first copied to the folder `damaged` in it, so a repair needs twice the space
// that they take. A repair that was ended can be started again. What is on sectors that cannot be
// read is lost like damaged bytes. In Redis, a repair removes postings that an interrupted write
// has left and adds those that a document lacks, also while others use the index.
//
// location: a folder, or the address of an index in Redis. schema: needed only if a folder has no
// file BENZER that can be read and is sound; if given, it must be that of the index, which can be
// checked only if there are segments; absent for Redis. server: how to reach the servers of Redis.
//
// Throws Error(kBusy) if another process writes, Error(kNoIndex) if there is no index,
// Error(kCorrupt) if the schema is needed, Error(kInvalidArgument) if it is another one or is given
// for Redis, and Error(kStorageFailed).
RepairReport repair_index(const std::string& location, const std::optional<Schema>& schema = {},
                          const ServerOptions& server = {});

}  // namespace benzer
