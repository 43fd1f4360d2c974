#include "benzer/index.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "benzer/error.h"
#include "benzer/runtime.h"

#include "base/given_path.h"
#include "base/parallel.h"
#include "base/pipeline.h"
#include "base/pool.h"
#include "base/random_pause.h"
#include "engine/attributes.h"
#include "engine/decision_book.h"
#include "engine/explain.h"
#include "engine/hasher.h"
#include "engine/look_up.h"
#include "engine/open_store.h"
#include "engine/query_problems.h"
#include "engine/search.h"
#include "engine/whole_index.h"
#include "features/config_text.h"
#include "store/disk/bulk_load.h"
#include "store/memory/memory_store.h"

namespace benzer {
namespace {

constexpr const char* kDecisions = "/decisions.jsonl";  // in the folder of a store

// Documents that are written at a time: enough that taking the lock costs little, and few enough
// that their hashes are still in the CPU's caches when they are written.
constexpr std::size_t kPiece = 64;
constexpr int kMostTries = 20;
// How much may be written before a call waits for the disk: some 10,000 documents of a kilobyte.
constexpr std::size_t kMostWaiting = std::size_t{16} << 20;  // bytes of their hashes

std::size_t bytes_of(const DocumentHashes& document) {
  std::size_t out = sizeof document + document.id.size();
  for (const FieldHashes& field : document.fields)
    out += field.features.size() * sizeof field.features[0] +
           field.keys.size() * sizeof field.keys[0] + field.cut.size();
  return out;
}
// Queries that are answered at a time: enough to prefetch for, and few enough that their hashes are
// still in the CPU's caches when they are compared.
constexpr std::size_t kQueries = 64;

}  // namespace

struct Index::Impl {
  explicit Impl(const Schema& completed)
      : hasher(completed), store_(std::make_unique<MemoryStore>(hasher.layout())) {}
  Impl(OpenedStore opened, const std::string& decisions_file, const OpenOptions& options)
      : hasher(opened.schema),
        stop(options.stop),
        read_only(options.read_only),
        allows_kept_documents(options.allow_kept_documents),
        folder(opened.folder),
        disk(opened.disk),
        decisions(decisions_file.empty() ? std::make_unique<DecisionBook>()
                                         : std::make_unique<DecisionBook>(decisions_file)),
        takes_decisions(!decisions_file.empty()),
        store_(std::move(opened.store)),
        opened_by_(::getpid()) {}

  // Returns the matches of each query. documents: what the hashes were made from; empty if that is
  // not known. counts may be null.
  std::vector<std::vector<Match>> search(const Search& search, StoreReader& reader,
                                         std::span<const DocumentHashes> hashes,
                                         std::span<const Document* const> documents,
                                         SimilarCounts* counts) const {
    SimilarCounts counted;
    std::vector<std::vector<Match>> out = search.run(reader, hashes, counted);
    if (counts) *counts += counted;
    if (!search.explains()) return out;
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (out[i].empty()) continue;
      const Explainer explainer(hasher, search, hashes[i],
                                documents.empty() ? nullptr : documents[i]);
      for (Match& match : out[i]) {
        throw_if_stopped(search.stop());
        explainer.explain(reader, match);
      }
    }
    return out;
  }

  // Takes working memory that stops at the flag, or without one at that of the index.
  std::unique_ptr<Hasher::Scratch> take_scratch(const std::atomic<bool>* own_stop) const {
    auto scratch = scratches.take([] { return std::make_unique<Hasher::Scratch>(); });
    scratch->stop_when(own_stop ? own_stop : stop);
    return scratch;
  }

  // Hashes the documents in parallel and meanwhile calls take(begin, hashes) for one piece after
  // the other, in order. Sets problems[i] to why document i cannot be hashed, or to an empty
  // string; take() must skip documents that have a problem.
  template <class Take>
  void hash_in_order(const std::vector<Document>& documents, int threads,
                     const std::atomic<bool>* own_stop, std::vector<std::string>& problems,
                     Take take) const {
    struct Piece {
      std::size_t begin = 0;
      std::vector<DocumentHashes> hashes;
    };
    problems.resize(documents.size());
    std::size_t next = 0;
    ordered_pipeline<Piece>(
        // Hashing one piece takes less time than waking threads.
        documents.size() <= kPiece ? 1 : resolve_threads(threads),
        [&](Piece& piece) {
          piece.begin = next;
          piece.hashes.resize(std::min(kPiece, documents.size() - next));
          next += piece.hashes.size();
          return !piece.hashes.empty();
        },
        [&](Piece& piece) {
          auto scratch = take_scratch(own_stop);
          for (std::size_t i = 0; i < piece.hashes.size(); ++i) {
            const Document& document = documents[piece.begin + i];
            std::string& problem = problems[piece.begin + i];
            problem = hasher.check(document, true);
            if (problem.empty()) problem = hasher.hash(document, *scratch, piece.hashes[i]);
          }
          scratches.give(std::move(scratch));
        },
        [&](Piece& piece) { take(piece.begin, piece.hashes); });
  }

  // Puts in hashed documents, some at a time.
  class Adding;

  // Hashes a query. Throws Error(kInvalidArgument) for a document that does not fit the schema, and
  // Error(kBadInput) for an image that cannot be read or decoded.
  DocumentHashes hash_query(const Document& document, const std::atomic<bool>* own_stop) const {
    std::string problem = hasher.check(document, false);
    if (!problem.empty()) throw Error(ErrorCode::kInvalidArgument, problem);
    auto scratch = take_scratch(own_stop);
    DocumentHashes out;
    problem = hasher.hash_query(document, *scratch, out);
    scratches.give(std::move(scratch));
    if (!problem.empty()) throw Error(ErrorCode::kBadInput, problem);
    return out;
  }

  std::unique_ptr<StoreReader> reader(const std::atomic<bool>* own_stop = nullptr) const {
    std::unique_ptr<StoreReader> out = store().reader();
    out->stop_when(own_stop);
    return out;
  }

  // A forked process has the same files and connections, and none of the threads.
  bool is_forked() const noexcept { return opened_by_ && *opened_by_ != ::getpid(); }
  void check_process() const {
    if (is_forked())
      throw Error(ErrorCode::kInvalidArgument,
                  "the index was opened before this process was forked",
                  "open it in the new process, read_only if the other one goes on writing");
  }
  Store& store() const {
    check_process();
    return *store_;
  }

  Hasher hasher;
  const std::atomic<bool>* stop = nullptr;  // interrupts hashing
  bool read_only = false;
  bool allows_kept_documents = true;
  std::string folder;  // of the store, if it is one in a folder
  mutable Pool<Hasher::Scratch> scratches;
  DiskStore* disk = nullptr;  // the store, if it is one in a folder
  std::unique_ptr<DecisionBook> decisions = std::make_unique<DecisionBook>();
  bool takes_decisions = true;

  void check_writable() const {
    if (read_only)
      throw Error(ErrorCode::kInvalidArgument, "the index was opened for reading only");
    check_process();
    if (disk) disk->check_in_place();
  }

 private:
  std::unique_ptr<Store> store_;
  std::optional<pid_t> opened_by_;  // none for an index in memory, which each process has itself
};

Index::Index(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
// In a forked process it is left as it is: what closing it wrote would be in the way of the process
// that has it open.
Index::~Index() {
  if (impl_ && impl_->is_forked()) new std::unique_ptr<Impl>(std::move(impl_));
}
Index::Index(Index&&) noexcept = default;
Index& Index::operator=(Index&& other) noexcept {
  Index(std::move(other)).impl_.swap(impl_);
  return *this;
}

Index Index::in_memory(const Schema& schema) {
  return Index(std::make_unique<Impl>(schema.completed()));
}

std::unique_ptr<StoreReader> WholeIndex::reader(const Index& index, const std::atomic<bool>* stop) {
  return index.impl_->reader(stop);
}

const Hasher& WholeIndex::hasher(const Index& index) { return index.impl_->hasher; }

bool Index::is_at(const std::string& location) { return is_index_location(location); }

Index Index::open(const std::string& location, const OpenOptions& options) {
  OpenedStore opened = open_store(location, options);
  const std::string decisions = opened.disk ? opened.folder + kDecisions : std::string();
  return Index(std::make_unique<Impl>(std::move(opened), decisions, options));
}

void Index::close() { impl_->store().close(); }
void Index::compact() { impl_->store().compact(); }
void Index::verify() const {
  impl_->store().verify();
  impl_->decisions->verify();
}
SnapshotResult Index::snapshot(const std::string& to, const SnapshotOptions& options) const {
  if (impl_->disk && !impl_->allows_kept_documents) check_keeps_no_documents(impl_->folder);
  const std::string folder = absolute_path(to);
  const auto write_decisions = [&](const std::string& into) -> std::string {
    return impl_->decisions->write(into + kDecisions) ? into + kDecisions : std::string();
  };
  return impl_->store().snapshot(folder, options, write_decisions);
}
WriteLevel Index::durability() const { return impl_->store().level(); }

const Schema& Index::schema() const noexcept { return impl_->hasher.schema(); }

class Index::Impl::Adding {
 public:
  Adding(const Impl& index, std::size_t documents)
      : index_(index), store_(index.store()), results_(documents) {}

  // Puts in the documents [begin, begin + hashes.size()), but for those that have a problem.
  void add(std::size_t begin, std::span<const DocumentHashes> hashes,
           std::span<std::string> problems) {
    using Outcome = IndexResult::Outcome;
    const std::unique_ptr<StoreWriter> writer = store_.writer();
    std::vector<const DocumentHashes*> added;
    std::vector<IndexResult*> answers;
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      IndexResult& result = results_[begin + i];
      if (!problems[begin + i].empty()) {
        result = {Outcome::kRefused, std::move(problems[begin + i]), {}};
        continue;
      }
      added.push_back(&hashes[i]);
      answers.push_back(&result);
      waiting_ += bytes_of(hashes[i]);
    }
    std::vector<std::string_view> ids;
    for (const DocumentHashes* const document : added) ids.push_back(document->id);
    const std::vector<bool> had_expired = find_expired(*writer, index_.hasher.schema(), ids);
    const std::vector<bool> replaced = writer->add_all(added);
    for (std::size_t i = 0; i < answers.size(); ++i)
      if (replaced[i] && !had_expired[i]) answers[i]->outcome = Outcome::kReplaced;
    wait_ = writer->release();
    if (waiting_ >= kMostWaiting) acknowledge(begin + hashes.size());
  }

  std::vector<IndexResult> finish() {
    acknowledge(results_.size());
    return std::move(results_);
  }

 private:
  // Waits until the documents before `end` are durable.
  void acknowledge(std::size_t end) {
    if (!wait_) return;
    const WriteLevel level = std::exchange(wait_, nullptr)();
    for (; acknowledged_ < end; ++acknowledged_) results_[acknowledged_].reached = level;
    waiting_ = 0;
  }

  const Impl& index_;
  Store& store_;
  std::vector<IndexResult> results_;
  std::function<WriteLevel()> wait_;  // waits until everything written so far is durable
  std::size_t waiting_ = 0;           // bytes
  std::size_t acknowledged_ = 0;
};

std::vector<IndexResult> Index::index_documents(const std::vector<Document>& documents,
                                                int threads) {
  Impl::Adding adding(*impl_, documents.size());
  std::vector<std::string> problems;
  impl_->hash_in_order(documents, threads, nullptr, problems,
                       [&](std::size_t begin, const std::vector<DocumentHashes>& hashes) {
                         adding.add(begin, hashes, problems);
                       });
  return adding.finish();
}

struct HashedDocuments::Impl {
  std::vector<DocumentHashes> hashes;
  std::vector<std::string> problems;  // one for each document; empty if it can be put in
};

HashedDocuments::HashedDocuments(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HashedDocuments::~HashedDocuments() = default;
HashedDocuments::HashedDocuments(HashedDocuments&&) noexcept = default;
HashedDocuments& HashedDocuments::operator=(HashedDocuments&&) noexcept = default;
std::span<const std::string> HashedDocuments::problems() const noexcept { return impl_->problems; }

HashedDocuments Index::hash_documents(const std::vector<Document>& documents, int threads,
                                      const std::atomic<bool>* stop) const {
  auto out = std::make_unique<HashedDocuments::Impl>();
  impl_->hash_in_order(documents, threads, stop, out->problems,
                       [&](std::size_t, std::vector<DocumentHashes>& hashes) {
                         std::move(hashes.begin(), hashes.end(), std::back_inserter(out->hashes));
                       });
  return HashedDocuments(std::move(out));
}

std::vector<IndexResult> Index::index_documents(HashedDocuments documents) {
  const std::span<const DocumentHashes> hashes = documents.impl_->hashes;
  Impl::Adding adding(*impl_, hashes.size());
  for (std::size_t begin = 0; begin < hashes.size(); begin += kPiece)
    adding.add(begin, hashes.subspan(begin, std::min(kPiece, hashes.size() - begin)),
               documents.impl_->problems);
  return adding.finish();
}

struct BulkLoad::Impl {
  explicit Impl(Index::Impl& opened) : index(opened), load(*opened.disk) {}
  Index::Impl& index;
  DiskStore::Load load;
};

BulkLoad::BulkLoad(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
BulkLoad::~BulkLoad() {
  if (impl_ && impl_->index.is_forked()) new std::unique_ptr<Impl>(std::move(impl_));
}
BulkLoad::BulkLoad(BulkLoad&&) noexcept = default;
BulkLoad& BulkLoad::operator=(BulkLoad&& other) noexcept {
  BulkLoad(std::move(other)).impl_.swap(impl_);
  return *this;
}

BulkLoad Index::bulk_load() {
  impl_->check_process();
  if (!impl_->disk)
    throw Error(ErrorCode::kInvalidArgument,
                "a bulk load is for an index in a folder; others take index_documents()");
  return BulkLoad(std::make_unique<BulkLoad::Impl>(*impl_));
}

std::vector<std::string> BulkLoad::add(const std::vector<Document>& documents, int threads) {
  impl_->index.check_process();
  std::vector<std::string> problems;
  impl_->index.hash_in_order(documents, threads, nullptr, problems,
                             [&](std::size_t begin, const std::vector<DocumentHashes>& hashes) {
                               for (std::size_t i = 0; i < hashes.size(); ++i)
                                 if (problems[begin + i].empty()) impl_->load.add(hashes[i]);
                             });
  return problems;
}

BulkLoad::Result BulkLoad::finish() {
  impl_->index.check_process();
  const DiskStore::Load::Result result = impl_->load.finish();
  return {result.documents, result.replaced};
}

std::vector<Match> Index::find_similar_documents(const Document& document,
                                                 const SimilarOptions& options) const {
  const Search search(schema(), options);
  const DocumentHashes hashes = impl_->hash_query(document, options.stop);
  const Document* const query = &document;
  const std::unique_ptr<StoreReader> reader = impl_->reader(options.stop);
  return std::move(impl_->search(search, *reader, {&hashes, 1}, {&query, 1}, options.counts)[0]);
}

std::vector<std::vector<Match>> Index::find_similar_documents(
    const std::vector<Document>& documents, const SimilarOptions& options, int threads) const {
  const Search search(schema(), options);
  QueryProblems problems(documents.size(), options.problem);
  impl_->hasher.check_queries(documents, problems);
  std::vector<std::vector<Match>> out(documents.size());
  std::mutex adding;
  parallel_for(resolve_threads(threads), documents.size(), kQueries,
               [&](std::size_t begin, std::size_t end) {
                 auto scratch = impl_->take_scratch(options.stop);
                 const Hasher::Queries queries =
                     impl_->hasher.hash_queries(documents, begin, end, *scratch, problems);
                 impl_->scratches.give(std::move(scratch));
                 if (queries.hashes.empty()) return;
                 const std::unique_ptr<StoreReader> reader = impl_->reader(options.stop);
                 SimilarCounts counts;
                 std::vector<std::vector<Match>> found =
                     impl_->search(search, *reader, queries.hashes, queries.documents, &counts);
                 if (options.counts) {
                   const std::lock_guard lock(adding);
                   *options.counts += counts;
                 }
                 for (std::size_t i = 0; i < found.size(); ++i)
                   out[static_cast<std::size_t>(queries.documents[i] - documents.data())] =
                       std::move(found[i]);
               });
  problems.tell_all();
  return out;
}

std::vector<Match> Index::find_similar_to(std::string_view id,
                                          const SimilarOptions& options) const {
  const Search search(schema(), options);
  const std::unique_ptr<StoreReader> reader = impl_->reader(options.stop);
  const std::optional<DocumentNumber> found = find_live(*reader, schema(), id);
  if (!found)
    throw Error(ErrorCode::kNotFound,
                fmt::format("the index has no document {}", internal::in_quotes(id)));
  const DocumentHashes hashes = reader->get_hashes(*found);
  return std::move(impl_->search(search, *reader, {&hashes, 1}, {}, options.counts)[0]);
}

CheckResult Index::check_and_add(const Document& document, const SimilarOptions& options) {
  return check_and_add(document, hash_documents({document}, 1, options.stop), options);
}

CheckResult Index::check_and_add(const Document& document, HashedDocuments hashed,
                                 const SimilarOptions& options) {
  if (options.floor)
    throw Error(ErrorCode::kInvalidArgument, Subject::parameter("floor"),
                "a document is added or not by a threshold, and a floor was given",
                "leave out the floor");
  const Search search(schema(), options);
  const std::string wrong = impl_->hasher.check(document, true);
  if (!wrong.empty()) throw Error(ErrorCode::kInvalidArgument, wrong);
  const std::string& problem = hashed.impl_->problems.at(0);
  if (!problem.empty()) throw Error(ErrorCode::kBadInput, problem);
  const DocumentHashes& hashes = hashed.impl_->hashes.front();
  const Document* const query = &document;
  const std::unique_ptr<StoreWriter> writer = impl_->store().writer();
  writer->stop_when(options.stop);
  writer->lock_others();
  CheckResult result;
  result.matches =
      std::move(impl_->search(search, *writer, {&hashes, 1}, {&query, 1}, options.counts)[0]);
  result.added = result.matches.empty();
  if (result.added) writer->add_hashes(hashes);
  result.reached = writer->commit();
  return result;
}

std::vector<Decision> WholeIndex::decisions(const Index& index, const WholeIndexOptions& options) {
  return options.ignore_decisions ? std::vector<Decision>() : index.decisions();
}

std::vector<Decision> Index::decisions() const { return impl_->decisions->all(); }
std::optional<Decision> Index::decision_from(std::uint64_t id) const {
  return impl_->decisions->from(id);
}

std::optional<Decision> Index::put_decision(Decision decision) {
  if (!impl_->takes_decisions)
    throw Error(ErrorCode::kInvalidArgument,
                "an index in Redis keeps no decisions; an index in a folder does");
  impl_->check_writable();
  return impl_->decisions->put(std::move(decision));
}

bool Index::remove_decision(std::uint64_t id, std::uint64_t version) {
  impl_->check_writable();
  return impl_->decisions->remove(id, version);
}

std::vector<bool> Index::remove(const std::vector<std::string>& ids, WriteLevel* reached) {
  const std::unique_ptr<StoreWriter> writer = impl_->store().writer();
  const std::vector<bool> had_expired =
      find_expired(*writer, schema(), std::vector<std::string_view>(ids.begin(), ids.end()));
  std::vector<bool> out = writer->remove_all(ids);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = out[i] && !had_expired[i];
  const WriteLevel level = writer->commit();
  if (reached) *reached = level;
  return out;
}

std::vector<IndexResult> Index::change_attributes(const std::vector<AttributeChange>& changes) {
  using Outcome = IndexResult::Outcome;
  const AttributeCodec& codec = impl_->hasher.attributes();
  std::vector<IndexResult> out(changes.size());
  for (std::size_t begin = 0; begin < changes.size(); begin += kPiece) {
    const std::size_t end = std::min(changes.size(), begin + kPiece);
    // Without a lock, which would end among many changes: what others have changed is read again.
    const std::unique_ptr<StoreWriter> writer = impl_->store().writer();
    for (std::size_t i = begin; i < end; ++i) {
      const AttributeChange& change = changes[i];
      const auto begun = std::chrono::steady_clock::now();
      for (int tries = 1;; ++tries) {
        const std::optional<DocumentNumber> found = find_live(*writer, schema(), change.id);
        if (!found) {
          out[i].outcome = Outcome::kNotThere;
          break;
        }
        DocumentHashes document = writer->get_hashes(*found);
        out[i].problem = codec.change(change.set, change.removed, document.attributes);
        out[i].outcome = out[i].problem.empty() ? Outcome::kReplaced : Outcome::kRefused;
        if (!out[i].problem.empty() || writer->replace_seen(document)) break;
        if (tries == kMostTries)
          throw Error(ErrorCode::kBusy,
                      fmt::format("the document {} is written to by others all the time",
                                  internal::in_quotes(change.id)),
                      "try again");
        const std::chrono::nanoseconds since = std::chrono::steady_clock::now() - begun;
        pause_at_random(std::min<std::chrono::nanoseconds>(since, std::chrono::milliseconds(500)));
      }
    }
    const WriteLevel level = writer->commit();
    for (std::size_t i = begin; i < end; ++i)
      if (out[i].outcome == Outcome::kReplaced) out[i].reached = level;
  }
  return out;
}

ExpiredDocuments Index::expired(const std::atomic<bool>* stop) const {
  ExpiredDocuments out;
  const AttributeFilter live(schema());
  if (!live.is_needed()) return out;
  UtcTime next = AttributeCodec::kNever;
  const std::unique_ptr<StoreReader> reader = impl_->reader(stop);
  reader->for_each([&](DocumentNumber document) {
    throw_if_stopped(stop ? stop : impl_->stop);
    if (live.passes(*reader, document))
      next = std::min(next, AttributeCodec::expiry(reader->attributes(document)));
    else
      out.ids.emplace_back(reader->id(document));
    return true;
  });
  reader->throw_if_unreadable();
  if (next != AttributeCodec::kNever) out.next = next;
  return out;
}

std::vector<bool> Index::remove_expired(const std::vector<std::string>& ids, WriteLevel* reached) {
  std::vector<bool> out(ids.size());
  const AttributeFilter live(schema());
  for (std::size_t begin = 0; begin < ids.size(); begin += kPiece) {
    const std::size_t end = std::min(ids.size(), begin + kPiece);
    const std::unique_ptr<StoreWriter> writer = impl_->store().writer();
    for (std::size_t i = begin; i < end; ++i) {
      const std::optional<DocumentNumber> found = writer->find(ids[i]);
      out[i] = found && !live.passes(*writer, *found) && writer->remove_seen(ids[i]);
    }
    const WriteLevel level = writer->commit();
    if (reached) *reached = level;
  }
  return out;
}

std::uint64_t Index::size() const { return impl_->reader()->size(); }

IndexStats Index::stats() const {
  const StoreBytes bytes = impl_->store().bytes();
  IndexStats out;
  out.documents = size();
  out.table_bytes = bytes.tables;
  out.key_bytes = bytes.keys;
  out.cut_bytes = bytes.cuts;
  out.feature_bytes = bytes.features;
  out.id_bytes = bytes.ids;
  const StoreStats elsewhere = impl_->store().stats();
  out.segments = elsewhere.segments;
  out.segment_bytes = elsewhere.segment_bytes;
  out.log_bytes = elsewhere.log_bytes;
  out.restart_seconds = elsewhere.restart_seconds;
  out.removed = elsewhere.removed;
  out.torn_bytes = elsewhere.torn_bytes;
  out.servers = elsewhere.servers;
  out.server_bytes = elsewhere.server_bytes;
  out.maintenance_problem = maintenance_problem();
  out.upkeep = elsewhere.upkeep;
  return out;
}

std::optional<MaintenanceProblem> Index::maintenance_problem() const {
  return impl_->store().maintenance_problem();
}

double Index::expected_recall(const Threshold& threshold) const {
  return Search::expected_recall(schema(), threshold);
}

double Index::floor_recall() const { return Search::floor_recall(schema()); }

}  // namespace benzer
