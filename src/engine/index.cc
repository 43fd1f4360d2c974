#include "benzer/index.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "benzer/error.h"

#include "base/given_path.h"
#include "base/parallel.h"
#include "engine/attributes.h"
#include "engine/explain.h"
#include "engine/index_impl.h"
#include "engine/look_up.h"
#include "engine/query_problems.h"
#include "engine/search.h"
#include "engine/whole_index.h"
#include "features/config_text.h"
#include "store/memory/memory_store.h"

namespace benzer {
namespace {

constexpr const char* kDecisions = "/decisions.jsonl";  // in the folder of a store

// Queries that are answered at a time: enough to prefetch for, and few enough that their hashes are
// still in the CPU's caches when they are compared.
constexpr std::size_t kQueries = 64;

}  // namespace

Index::Impl::Impl(const Schema& completed)
    : hasher(completed), store_(std::make_unique<MemoryStore>(hasher.layout())) {}

Index::Impl::Impl(OpenedStore opened, const std::string& decisions_file, const OpenOptions& options)
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

std::vector<std::vector<Match>> Index::Impl::search(const Search& search, StoreReader& reader,
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

std::unique_ptr<Hasher::Scratch> Index::Impl::take_scratch(
    const std::atomic<bool>* own_stop) const {
  auto scratch = scratches.take([] { return std::make_unique<Hasher::Scratch>(); });
  scratch->stop_when(own_stop ? own_stop : stop);
  return scratch;
}

DocumentHashes Index::Impl::hash_query(const Document& document,
                                       const std::atomic<bool>* own_stop) const {
  std::string problem = hasher.check(document, false);
  if (!problem.empty()) throw Error(ErrorCode::kInvalidArgument, problem);
  auto scratch = take_scratch(own_stop);
  DocumentHashes out;
  problem = hasher.hash_query(document, *scratch, out);
  scratches.give(std::move(scratch));
  if (!problem.empty()) throw Error(ErrorCode::kBadInput, problem);
  return out;
}

std::unique_ptr<StoreReader> Index::Impl::reader(const std::atomic<bool>* own_stop) const {
  std::unique_ptr<StoreReader> out = store().reader();
  out->stop_when(own_stop);
  return out;
}

Store& Index::Impl::store() const {
  check_process();
  return *store_;
}

bool Index::Impl::is_forked() const noexcept { return opened_by_ && *opened_by_ != ::getpid(); }

void Index::Impl::check_process() const {
  if (is_forked())
    throw Error(ErrorCode::kInvalidArgument, "the index was opened before this process was forked",
                "open it in the new process, read_only if the other one goes on writing");
}

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

std::vector<Decision> WholeIndex::decisions(const Index& index, const WholeIndexOptions& options) {
  return options.ignore_decisions ? std::vector<Decision>() : index.decisions();
}

std::vector<Decision> Index::decisions() const { return impl_->decisions->all(); }
std::optional<Decision> Index::decision_from(std::uint64_t id) const {
  return impl_->decisions->from(id);
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
