#include "benzer/index.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "benzer/error.h"

#include "base/parallel.h"
#include "base/pool.h"
#include "engine/explain.h"
#include "engine/hasher.h"
#include "engine/search.h"
#include "engine/whole_index.h"
#include "features/config_text.h"
#include "store/disk/bulk_load.h"
#include "store/disk/disk_store.h"
#include "store/memory/memory_store.h"

namespace benzer {
namespace {

// Written at a time: enough for the lock not to matter, and few enough that their hashes are still
// in the caches then.
constexpr std::size_t kPiece = 64;
// What may wait for the disk together: some ten thousand documents of a kilobyte.
constexpr std::size_t kMostWaiting = std::size_t{16} << 20;  // bytes of their hashes

std::size_t bytes_of(const DocumentHashes& document) {
  std::size_t out = sizeof document + document.id.size();
  for (const FieldHashes& field : document.fields)
    out += field.features.size() * sizeof field.features[0] +
           field.keys.size() * sizeof field.keys[0] + field.cut.size();
  return out;
}
// Asked at a time: enough to load ahead for, and few enough that their hashes are still in the
// caches when they are compared.
constexpr std::size_t kQueries = 64;

}  // namespace

struct Index::Impl {
  explicit Impl(const Schema& completed)
      : hasher(completed), store(std::make_unique<MemoryStore>(hasher.layout())) {}
  Impl(const Schema& completed, const std::string& folder, const OpenOptions& options)
      : hasher(completed), durability(options.durability) {
    auto opened = std::make_unique<DiskStore>(
        folder, hasher.layout(), completed.fingerprint(),
        DiskOptions{options.durability, options.read_only, options.memtable_bytes});
    disk = opened.get();
    store = std::move(opened);
  }

  // The matches of each query. documents: what the hashes were made of; null: no longer there.
  std::vector<std::vector<Match>> search(const Search& search, StoreReader& reader,
                                         std::span<const DocumentHashes> hashes,
                                         const Document* documents) const {
    std::vector<std::vector<Match>> out = search.run(reader, hashes);
    if (!search.explains()) return out;
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (out[i].empty()) continue;
      const Explainer explainer(hasher, search, hashes[i], documents ? documents + i : nullptr);
      for (Match& match : out[i]) explainer.explain(reader, match);
    }
    return out;
  }

  // Hashes documents [begin, begin + out.size()) of which wanted(i) says so.
  template <class Wanted>
  void hash(const std::vector<Document>& documents, std::size_t begin, Wanted wanted,
            std::vector<DocumentHashes>& out) const {
    auto scratch = scratches.take([] { return std::make_unique<Hasher::Scratch>(); });
    for (std::size_t i = 0; i < out.size(); ++i)
      if (wanted(begin + i)) hasher.hash(documents[begin + i], *scratch, out[i]);
    scratches.give(std::move(scratch));
  }

  // Hashes in parallel, and calls take(begin, hashes) for one piece after the other meanwhile.
  // problems: for each document why it cannot be hashed; take() must leave these out.
  template <class Take>
  void hash_in_order(const std::vector<Document>& documents, int threads,
                     std::vector<std::string>& problems, Take take) const {
    struct Piece {
      std::size_t begin = 0;
      std::vector<DocumentHashes> hashes;
    };
    problems.resize(documents.size());
    std::size_t next = 0;
    ordered_pipeline<Piece>(
        resolve_threads(threads),
        [&](Piece& piece) {
          piece.begin = next;
          piece.hashes.resize(std::min(kPiece, documents.size() - next));
          next += piece.hashes.size();
          return !piece.hashes.empty();
        },
        [&](Piece& piece) {
          for (std::size_t i = 0; i < piece.hashes.size(); ++i)
            problems[piece.begin + i] = hasher.check(documents[piece.begin + i], true);
          hash(
              documents, piece.begin, [&](std::size_t i) { return problems[i].empty(); },
              piece.hashes);
        },
        [&](Piece& piece) { take(piece.begin, piece.hashes); });
  }

  // Throws Error(kInvalidArgument) for what cannot be hashed.
  DocumentHashes hash_one(const Document& document, bool needs_id) const {
    const std::string problem = hasher.check(document, needs_id);
    if (!problem.empty()) throw Error(ErrorCode::kInvalidArgument, problem);
    auto scratch = scratches.take([] { return std::make_unique<Hasher::Scratch>(); });
    DocumentHashes out;
    hasher.hash(document, *scratch, out);
    scratches.give(std::move(scratch));
    return out;
  }

  Hasher hasher;
  mutable Pool<Hasher::Scratch> scratches;
  std::unique_ptr<Store> store;
  DiskStore* disk = nullptr;  // the store, if it is one on disk
  Durability durability = Durability::kNone;
};

Index::Index(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Index::~Index() = default;
Index::Index(Index&&) noexcept = default;
Index& Index::operator=(Index&&) noexcept = default;

std::string_view name_of(Durability durability) noexcept {
  switch (durability) {
    case Durability::kSync:
      return "sync";
    case Durability::kBatch:
      return "batch";
    case Durability::kNone:
      break;
  }
  return "none";
}

Index Index::in_memory(const Schema& schema) {
  return Index(std::make_unique<Impl>(schema.completed()));
}

std::unique_ptr<StoreReader> WholeIndex::reader(const Index& index) {
  return index.impl_->store->reader();
}

bool Index::is_store(const std::string& folder) { return StoreFolder::is_store(folder); }

Index Index::open(const std::string& folder, const OpenOptions& options) {
  if (options.create_with && !options.read_only && !StoreFolder::is_store(folder))
    StoreFolder::create(folder, options.create_with->completed().str());
  const Schema schema = Schema::parse(StoreFolder::read_schema(folder)).completed();
  if (options.create_with && options.create_with->completed() != schema)
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{}: the store has the schema '{}', not '{}'", folder, schema.str(),
                            options.create_with->completed().str()));
  return Index(std::make_unique<Impl>(schema, folder, options));
}

void Index::close() {
  if (impl_->disk) impl_->disk->close();
}

void Index::compact() {
  if (impl_->disk) impl_->disk->compact();
}

void Index::verify() const {
  if (impl_->disk) impl_->disk->verify();
}

void Index::snapshot(const std::string& folder) const {
  if (!impl_->disk)
    throw Error(ErrorCode::kInvalidArgument, "an index in memory has no files for a snapshot");
  impl_->disk->snapshot(folder);
}

Durability Index::durability() const noexcept { return impl_->durability; }

const Schema& Index::schema() const noexcept { return impl_->hasher.schema(); }

std::vector<IndexResult> Index::index_documents(const std::vector<Document>& documents,
                                                int threads) {
  using Outcome = IndexResult::Outcome;
  std::vector<IndexResult> results(documents.size());
  std::vector<std::string> problems;
  std::function<void()> wait = [] {};  // for all that was written before
  std::size_t waiting = 0;
  const auto add = [&](std::size_t begin, const std::vector<DocumentHashes>& hashes) {
    const std::unique_ptr<StoreWriter> writer = impl_->store->writer();
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      IndexResult& result = results[begin + i];
      if (!problems[begin + i].empty()) {
        result = {Outcome::kRefused, std::move(problems[begin + i])};
        continue;
      }
      if (writer->add_hashes(hashes[i])) result.outcome = Outcome::kReplaced;
      waiting += bytes_of(hashes[i]);
    }
    wait = writer->release();
    if (waiting < kMostWaiting) return;
    wait();
    waiting = 0;
  };
  impl_->hash_in_order(documents, threads, problems, add);
  wait();
  return results;
}

struct BulkLoad::Impl {
  explicit Impl(Index::Impl& opened) : index(opened), load(*opened.disk) {}
  Index::Impl& index;
  DiskStore::Load load;
};

BulkLoad::BulkLoad(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
BulkLoad::~BulkLoad() = default;
BulkLoad::BulkLoad(BulkLoad&&) noexcept = default;
BulkLoad& BulkLoad::operator=(BulkLoad&&) noexcept = default;

BulkLoad Index::bulk_load() {
  if (!impl_->disk)
    throw Error(ErrorCode::kInvalidArgument,
                "a bulk load is for a store on disk; an index in memory takes index_documents()");
  return BulkLoad(std::make_unique<BulkLoad::Impl>(*impl_));
}

std::vector<std::string> BulkLoad::add(const std::vector<Document>& documents, int threads) {
  std::vector<std::string> problems;
  impl_->index.hash_in_order(documents, threads, problems,
                             [&](std::size_t begin, const std::vector<DocumentHashes>& hashes) {
                               for (std::size_t i = 0; i < hashes.size(); ++i)
                                 if (problems[begin + i].empty()) impl_->load.add(hashes[i]);
                             });
  return problems;
}

BulkLoad::Result BulkLoad::finish() {
  const DiskStore::Load::Result result = impl_->load.finish();
  return {result.documents, result.replaced};
}

std::vector<Match> Index::find_similar_documents(const Document& document,
                                                 const SimilarOptions& options) const {
  const Search search(schema(), options);
  const DocumentHashes hashes = impl_->hash_one(document, false);
  const std::unique_ptr<StoreReader> reader = impl_->store->reader();
  return std::move(impl_->search(search, *reader, {&hashes, 1}, &document)[0]);
}

std::vector<std::vector<Match>> Index::find_similar_documents(
    const std::vector<Document>& documents, const SimilarOptions& options, int threads) const {
  const Search search(schema(), options);
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const std::string problem = impl_->hasher.check(documents[i], false);
    if (!problem.empty())
      throw Error(ErrorCode::kInvalidArgument, fmt::format("document {}: {}", i, problem));
  }
  std::vector<std::vector<Match>> out(documents.size());
  parallel_for(resolve_threads(threads), documents.size(), kQueries,
               [&](std::size_t begin, std::size_t end) {
                 std::vector<DocumentHashes> hashes(end - begin);
                 impl_->hash(documents, begin, [](std::size_t) { return true; }, hashes);
                 const std::unique_ptr<StoreReader> reader = impl_->store->reader();
                 std::vector<std::vector<Match>> found =
                     impl_->search(search, *reader, hashes, &documents[begin]);
                 std::move(found.begin(), found.end(),
                           out.begin() + static_cast<std::ptrdiff_t>(begin));
               });
  return out;
}

std::vector<Match> Index::find_similar_to(std::string_view id,
                                          const SimilarOptions& options) const {
  const Search search(schema(), options);
  const std::unique_ptr<StoreReader> reader = impl_->store->reader();
  const std::optional<DocumentNumber> found = reader->find(id);
  if (!found)
    throw Error(ErrorCode::kNotFound,
                fmt::format("the index has no document {}", internal::quoted(id)));
  const DocumentHashes hashes = reader->get_hashes(*found);
  return std::move(impl_->search(search, *reader, {&hashes, 1}, nullptr)[0]);
}

CheckResult Index::check_and_add(const Document& document, const SimilarOptions& options) {
  const Search search(schema(), options);
  const DocumentHashes hashes = impl_->hash_one(document, true);
  const std::unique_ptr<StoreWriter> writer = impl_->store->writer();
  CheckResult result;
  result.matches = std::move(impl_->search(search, *writer, {&hashes, 1}, &document)[0]);
  result.added = result.matches.empty();
  if (result.added) writer->add_hashes(hashes);
  writer->commit();
  return result;
}

std::vector<bool> Index::remove(const std::vector<std::string>& ids) {
  std::vector<bool> out;
  const std::unique_ptr<StoreWriter> writer = impl_->store->writer();
  for (const std::string& id : ids) out.push_back(writer->remove(id));
  writer->commit();
  return out;
}

std::optional<IndexedDocument> Index::get(std::string_view id) const {
  const std::unique_ptr<StoreReader> reader = impl_->store->reader();
  const std::optional<DocumentNumber> found = reader->find(id);
  if (!found) return std::nullopt;
  DocumentHashes hashes = reader->get_hashes(*found);
  IndexedDocument out{std::move(hashes.id), {}};
  for (FieldHashes& field : hashes.fields) {
    if (!schema().sketch.has_positions()) std::erase(field.keys, kNoStoreKey);
    out.fields.push_back(
        {schema().fields[field.field].name, field.features.size(), std::move(field.keys)});
  }
  return out;
}

bool Index::contains(std::string_view id) const {
  return impl_->store->reader()->find(id).has_value();
}

void Index::for_each_id(const std::function<void(std::string_view id)>& visit) const {
  const std::unique_ptr<StoreReader> reader = impl_->store->reader();
  reader->for_each([&](DocumentNumber document) {
    visit(reader->id(document));
    return true;
  });
}

std::uint64_t Index::size() const { return impl_->store->reader()->size(); }

IndexStats Index::stats() const {
  const StoreBytes bytes = impl_->store->bytes();
  IndexStats out;
  out.documents = size();
  out.table_bytes = bytes.tables;
  out.key_bytes = bytes.keys;
  out.cut_bytes = bytes.cuts;
  out.feature_bytes = bytes.features;
  out.id_bytes = bytes.ids;
  if (!impl_->disk) return out;
  const DiskStore::Stats on_disk = impl_->disk->stats();
  out.segments = on_disk.segments;
  out.segment_bytes = on_disk.segment_bytes;
  out.log_bytes = on_disk.log_bytes;
  out.removed = on_disk.removed;
  out.torn_bytes = on_disk.torn_bytes;
  return out;
}

double Index::expected_recall(const Threshold& threshold) const {
  return Search::expected_recall(schema(), threshold);
}

}  // namespace benzer
